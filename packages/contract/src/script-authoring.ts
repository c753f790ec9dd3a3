import type {
  ScriptCheckView,
  ScriptDetail,
  ScriptFilesView,
  ScriptValueView,
  ScriptView,
} from "./script.ts";

/** The result of a change to a file, or the reason why nothing changed. */
export type AuthoringOutcome =
  | { readonly status: "done"; readonly script: ScriptDetail }
  /** There is no file with this id in the folders. */
  | { readonly status: "not_found" }
  /** The file has changed since the request was made, or exists already. */
  | { readonly status: "conflict"; readonly message: string }
  /** The request is invalid; `field` names the field. */
  | { readonly status: "invalid"; readonly field: string; readonly message: string };

/**
 * Lets users read, change and approve script files. The server itself does not know the folders,
 * and no tool has access to this interface.
 */
export interface ScriptAuthoring {
  list(): readonly ScriptView[];
  /** Reads the file from the disk, without a cache. */
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
  /** Deletes the file, and stores a copy for `restore`. */
  remove(
    id: string,
  ): Promise<
    { readonly status: "removed" } | Exclude<AuthoringOutcome, { readonly status: "done" }>
  >;
  restore(id: string): Promise<AuthoringOutcome>;
  /** Approves the file if its content still has this hash. */
  approve(id: string, contentHash: string): Promise<AuthoringOutcome>;
  revoke(id: string): Promise<AuthoringOutcome>;
  /** Returns the environment values that are stored or declared, without their texts. */
  values(): readonly ScriptValueView[];
  /** Stores an environment value for scripts, encrypted. */
  setValue(
    name: string,
    value: string,
  ):
    | { readonly status: "done"; readonly value: ScriptValueView }
    | Extract<AuthoringOutcome, { readonly status: "invalid" }>;
  /** Returns whether there was a stored value with this name. */
  removeValue(name: string): boolean;
  /** Calls the listener after each change; returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
}
