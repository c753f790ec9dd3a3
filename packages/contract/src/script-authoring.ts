import type { ScriptCheckView, ScriptDetail, ScriptFilesView, ScriptView } from "./script.ts";

/** The result of a change to a file, or the reason why nothing changed. */
export type AuthoringOutcome =
  | { readonly status: "done"; readonly script: ScriptDetail }
  /** There is no file with this id in the folders. */
  | { readonly status: "not_found" }
  /** The file has changed since the request was made, or exists already. */
  | { readonly status: "conflict"; readonly message: string }
  /** The request is invalid, because of its field `field`. */
  | { readonly status: "invalid"; readonly field: string; readonly message: string };

/**
 * Script files, as users see, change and approve them. The server does not know the folders itself,
 * and no tool has access to this.
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
  /** Deletes the file, and keeps a copy for `restore`. */
  remove(
    id: string,
  ): Promise<
    { readonly status: "removed" } | Exclude<AuthoringOutcome, { readonly status: "done" }>
  >;
  restore(id: string): Promise<AuthoringOutcome>;
  /** Approves exactly this content. */
  approve(id: string, contentHash: string): Promise<AuthoringOutcome>;
  revoke(id: string): Promise<AuthoringOutcome>;
  /** Calls back after each change; returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}
