import type { JsonValue, ToolGroup } from "@capstan/core";

/** An MCP server that a request names. */
export interface RequestServer {
  /** The name of its tool group, which depends on the URL only. */
  readonly group: string;
  readonly url: string;
  /** The headers of each request to the server. They can be secret, and are never stored. */
  readonly headers: { readonly [name: string]: string };
  /** The server's own names of the tools to use. @default all */
  readonly toolNames?: readonly string[];
}

/** A server that a request names, as its run stores it: without values of headers. */
export interface PinnedServer {
  /** The key of its headers in the memory of the process that listed its tools. */
  readonly id: string;
  readonly group: string;
  readonly url: string;
  readonly headerNames: readonly string[];
  /** The definitions when the run started. Changed tools are not called. */
  readonly tools: readonly PinnedTool[];
}

/** A tool as its server defined it when the run started. */
export interface PinnedTool {
  readonly name: string;
  /** The digest of the whole definition. */
  readonly digest: string;
  readonly definition: JsonValue;
}

/** The tools of a server, or the reason why a run cannot use them. */
export type ListedServer =
  | { readonly status: "listed"; readonly server: PinnedServer }
  | {
      readonly status: "denied" | "sign_in_needed" | "failed";
      readonly message: string;
    };

/** Connects to the MCP servers that requests name. */
export interface RequestServers {
  /**
   * Connects to a server and lists its tools.
   *
   * @param options.mayApprove whether the caller's answers to approval requests count
   */
  list(
    server: RequestServer,
    options: {
      readonly owner: string;
      readonly mayApprove: boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<ListedServer>;
  /** Returns the tool group of a pinned server for a run of the owner. */
  group(server: PinnedServer, owner: string): ToolGroup;
  /** Forgets the headers of servers, and closes sessions that no other run uses. */
  release(ids: readonly string[]): void;
}
