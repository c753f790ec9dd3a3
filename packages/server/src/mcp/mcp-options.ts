import type { SessionLimits } from "./protocol/session-limits.ts";

/** The approval requests that an MCP client can answer. */
export type ClientApproves = "nothing" | "reads" | "everything";

/** The settings of the MCP server. */
export interface McpOptions extends SessionLimits {
  /**
   * How long a request waits for its call, in ms. The result then says that the call still waits or
   * runs.
   */
  readonly waitMs: number;
  /** How long a request waits until its client's user answers an approval request, in ms. */
  readonly askMs: number;
  /** How long a pending approval waits for a repeat after its client cancelled the call, in ms. */
  readonly graceMs: number;
  /** Time between two notifications of progress, in ms. */
  readonly progressMs: number;
  /**
   * The approvals that a client can answer for its user. Any other program can answer in the
   * client's place, so by default only Capstan's own page and terminal answer.
   */
  readonly clientApproves: ClientApproves;
  /**
   * Maximum number of tools in a list. If there are more, the others are found with `SearchTools` and
   * called with `CallTool`.
   */
  readonly listedTools: number;
  /** The principals whose calls are not stored; `*` names all. */
  readonly unstored: readonly string[];
  /** Changes the servers, for tests of the protocol. @default no changes */
  readonly extend?: McpExtension;
}

/**
 * Changes of the servers, for tests of the protocol. Servers and contexts are those of the SDK,
 * whose types this package does not publish.
 */
export interface McpExtension {
  readonly capabilities: object;
  /** Called for each server before it is connected. */
  readonly onServer: (server: unknown) => void;
  /** Called for each request of a call, before the call starts. */
  readonly onCall: (context: unknown, name: string) => void;
  /** Replaces the result of a call. */
  readonly result: (name: string, result: object) => object;
}

/** The settings of a server that configures none. */
export const defaultMcpOptions: McpOptions = {
  waitMs: 45_000,
  askMs: 600_000,
  graceMs: 300_000,
  progressMs: 10_000,
  clientApproves: "nothing",
  listedTools: 40,
  unstored: [],
  idleMs: 1_800_000,
  sessionsOfOne: 100,
};
