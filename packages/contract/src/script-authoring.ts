import type { ScriptCheckView, ScriptDetail, ScriptFilesView, ScriptView } from "./script.ts";

/** What changed a file, or why nothing was changed. */
export type AuthoringOutcome =
  | { readonly status: "done"; readonly script: ScriptDetail }
  /** No file of that id is in the folders. */
  | { readonly status: "not_found" }
  /** It is not as the request has it: changed meanwhile, or there already. */
  | { readonly status: "conflict"; readonly message: string }
  /** What was asked for cannot be; `field` of the request is why. */
  | { readonly status: "invalid"; readonly field: string; readonly message: string };

/**
 * Files of tools, as people see, change and approve them: what the server is told of the folders,
 * which it does not know itself. No tool is given this.
 */
export interface ScriptAuthoring {
  list(): readonly ScriptView[];
  /** Reads the file as it is now, without any cache. */
  read(id: string, signal?: AbortSignal): Promise<ScriptDetail | undefined>;
  files(id: string, version: "current" | "approved"): Promise<ScriptFilesView | undefined>;
  check(
    text: { readonly name: string; readonly source: string },
    signal?: AbortSignal,
  ): Promise<ScriptCheckView | Extract<AuthoringOutcome, { readonly status: "invalid" }>>;
  create(name: string): Promise<AuthoringOutcome>;
  save(
    id: string,
    change: { readonly source: string; readonly basedOn: string },
  ): Promise<AuthoringOutcome>;
  /** Keeps what it takes away, for `restore`. */
  remove(
    id: string,
  ): Promise<
    { readonly status: "removed" } | Exclude<AuthoringOutcome, { readonly status: "done" }>
  >;
  restore(id: string): Promise<AuthoringOutcome>;
  /** A person's word on exactly this content. */
  approve(id: string, contentHash: string): Promise<AuthoringOutcome>;
  revoke(id: string): Promise<AuthoringOutcome>;
  /** Calls back when any of it changed; returns what ends it. */
  subscribe(listener: () => void): () => void;
}
