import type { JsonObject, JsonSchema, ToolContext } from "@capstan/core";
import type { ExecutionDecision, ResultApprovalPolicy, ToolReturn } from "@capstan/core/host";
import type { NetworkAccess } from "@capstan/sandbox";

export type ScriptLanguage = "python" | "powershell";

/** What is wrong with a script file, where. An `error` takes a function, or the file, out of service. */
export interface ScriptProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** From 1. Absent where it is about the whole file. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * What a script says it may do: of all its functions, or of one. It counts for nothing until a
 * person has approved this content; until then every call asks.
 */
export interface ScriptPermissions {
  readonly executionPolicy?: ExecutionDecision;
  readonly resultApprovalPolicy?: ResultApprovalPolicy;
  readonly effects?: "read" | "write" | "exclusive";
  readonly idempotent?: boolean;
  /** Milliseconds of running time. */
  readonly timeoutMs?: number;
  /** Public addresses, or the hosts that it names, which may be private. @default false */
  readonly network?: NetworkAccess;
  /** Names of environment variables that it is given. */
  readonly secrets?: readonly string[];
  /** Folders that it sees, as written: relative ones from the script's own. */
  readonly roots?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
}

/** One function of a script file that a model may call. */
export interface ScriptFunction {
  /** As the file has it, and as the tool is called. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. A `context` that the function wants is no part of it. */
  readonly parameters: JsonSchema;
  readonly returns?: { readonly type: string; readonly note?: string };
  /** Failures that its documentation names. */
  readonly raises: readonly { readonly type: string; readonly note?: string }[];
  /** Whether the script can turn its result into text: `fn.format`, or `Format-<Tool>`. */
  readonly hasFormat: boolean;
  /** Whether it takes a parameter named `context`. */
  readonly wantsContext: boolean;
  readonly line: number;
}

/** What permissions a file declares: one set for the file, and what functions say otherwise. */
export interface DeclaredPermissions {
  readonly file: ScriptPermissions;
  readonly functions: { readonly [name: string]: ScriptPermissions };
}

/** A script file, read without running it. */
export interface Script {
  /** Absolute. */
  readonly path: string;
  readonly language: ScriptLanguage;
  /** The group's id: from the file's place alone, so that it stays whatever the file says. */
  readonly groupId: string;
  /** What people read. */
  readonly title: string;
  /** What the model is told of the whole group; empty where the file says nothing. */
  readonly rules: string;
  readonly functions: readonly ScriptFunction[];
  readonly problems: readonly ScriptProblem[];
  /**
   * Absent where the definitions came from the cache, which is not believed about permissions:
   * `readScript` without a cache reads them from the file.
   */
  readonly declared?: DeclaredPermissions;
  /**
   * Everything it is made of, relative to `folder`: itself, and the private files beside it or the
   * whole plugin folder. A sandbox shows it these files and no others.
   */
  readonly files: readonly string[];
  /**
   * Absolute: where `files` are. A copy that never changes where the library keeps one, so that what
   * runs is what was read and approved; `roots` are meant from the folder of `path`.
   */
  readonly folder: string;
  /** `sha256:…` over the names and bytes of `files`: what a person's approval is bound to. */
  readonly contentHash: string;
}

export interface ScriptCall {
  readonly script: Script;
  readonly function: ScriptFunction;
  readonly arguments: JsonObject;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}

/** What a function gave: `data`, `toolError(...)` or `contentParts(...)`, and the text its format made of it. */
export interface ScriptReturn {
  readonly value: ToolReturn;
  readonly formattedText?: string;
}

/** Runs one function of a script. A script that fails gives a `toolError`; it throws nothing but the signal's reason. */
export type RunScriptFunction = (call: ScriptCall) => Promise<ScriptReturn>;

/** What people have approved, by content. */
export interface ScriptApprovals {
  /** The permissions as they were approved for exactly this content; undefined where nobody did. */
  approved(script: Script): DeclaredPermissions | undefined;
  /** Calls back when an approval is given or taken back; returns what ends it. */
  subscribe(listener: () => void): () => void;
}

/** The same, with which content of a file it is. */
export interface ApprovedContents extends ScriptApprovals {
  /** The hash of the content that was approved last; undefined where none is. */
  contentOf(path: string): string | undefined;
}
