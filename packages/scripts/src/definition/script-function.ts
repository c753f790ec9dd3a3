import type { JsonObject, JsonSchema, ToolContext } from "@capstan/core";
import type { ExecutionDecision, ResultApprovalPolicy, ToolReturn } from "@capstan/core/host";
import type { NetworkAccess } from "@capstan/sandbox";
import type { WorkspaceFiles } from "../workspace/workspace.ts";

/** The languages of script files. */
export type ScriptLanguage = "python" | "powershell";

/** A problem of a script file. An `error` disables the function, or the whole file. */
export interface ScriptProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** From 1. Absent if it concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * The permissions that a script declares, for all its functions or for one. They have no effect
 * until a user has approved this content; until then every call asks.
 */
export interface ScriptPermissions {
  readonly executionPolicy?: ExecutionDecision;
  readonly resultApprovalPolicy?: ResultApprovalPolicy;
  readonly effects?: "read" | "write" | "exclusive";
  readonly idempotent?: boolean;
  /** Its output is the assistant's answer. */
  readonly final?: boolean;
  /** Clients of the server's APIs do not see its calls. A final function is not hidden. */
  readonly hidden?: boolean;
  /** The running time in ms. */
  readonly timeoutMs?: number;
  /** Public addresses, or the listed hosts, which may be private. @default false */
  readonly network?: NetworkAccess;
  /** The names of environment variables that the script receives. */
  readonly secrets?: readonly string[];
  /** The folders that the script can access, as written: relative to the script's own folder. */
  readonly roots?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
}

/** One function of a script file that a model can call. */
export interface ScriptFunction {
  /** The function's name in the file, which is also the tool's name. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object, without the parameter `context`. */
  readonly parameters: JsonSchema;
  readonly returns?: { readonly type: string; readonly note?: string };
  /** The errors that its documentation names. */
  readonly raises: readonly { readonly type: string; readonly note?: string }[];
  /** Whether the script converts its result into text: `fn.format`, or `Format-<Tool>`. */
  readonly hasFormat: boolean;
  /** Whether it has a parameter named `context`. */
  readonly wantsContext: boolean;
  readonly line: number;
}

/** The permissions that a file declares, for all its functions and for single ones. */
export interface DeclaredPermissions {
  readonly file: ScriptPermissions;
  readonly functions: { readonly [name: string]: ScriptPermissions };
}

/** A script file, read without running it. */
export interface Script {
  /** Absolute. */
  readonly path: string;
  readonly language: ScriptLanguage;
  /** The group's id. It depends on the file's path only, not on its content. */
  readonly groupId: string;
  /** A name for users. */
  readonly title: string;
  /** The rules of the group for the model; empty if the file has none. */
  readonly rules: string;
  readonly functions: readonly ScriptFunction[];
  readonly problems: readonly ScriptProblem[];
  /**
   * Absent if the definitions came from the cache, which is not trusted about permissions:
   * `readScript` without a cache reads them from the file.
   */
  readonly declared?: DeclaredPermissions;
  /**
   * All files of the script, relative to `folder`: the file itself, and the private files next to
   * it or its whole plugin folder. The sandbox contains these files and no others.
   */
  readonly files: readonly string[];
  /**
   * The absolute path of the folder of `files`. If the library has an immutable copy, this is its
   * folder, so that the version that was read and approved is the one that runs. `roots` are
   * relative to the folder of `path`.
   */
  readonly folder: string;
  /** `sha256:…` over the names and bytes of `files`. A user's approval is bound to it. */
  readonly contentHash: string;
}

/** A call of a script's function. */
export interface ScriptCall {
  readonly script: Script;
  readonly function: ScriptFunction;
  readonly arguments: JsonObject;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}

/**
 * The result of a function: `data`, `toolError(...)` or `contentParts(...)`, and the text of its
 * format.
 */
export interface ScriptReturn {
  readonly value: ToolReturn;
  readonly formattedText?: string;
  /** The new files of the workspace, if the runner does not add them to the value. */
  readonly files?: WorkspaceFiles;
}

/**
 * Runs one function of a script. If the script fails, the result is a `toolError`. Throws only the
 * signal's reason.
 */
export type RunScriptFunction = (call: ScriptCall) => Promise<ScriptReturn>;

/** The approved permissions of scripts, by content. */
export interface ScriptApprovals {
  /**
   * Returns the permissions approved for exactly this content, or undefined if it is not approved.
   */
  approved(script: Script): DeclaredPermissions | undefined;
  /**
   * Calls back when an approval is given or revoked.
   *
   * @returns removes the listener
   */
  subscribe(listener: () => void): () => void;
}

/** Approvals that also know the approved content of each file. */
export interface ApprovedContents extends ScriptApprovals {
  /** Returns the hash of the content that was approved last, or undefined if there is none. */
  contentOf(path: string): string | undefined;
}
