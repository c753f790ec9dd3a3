import type { JsonObject, JsonSchema } from "@capstan/core";
import type { ExecutionDecision, ResultApprovalPolicy } from "@capstan/core/host";
import type { CallView } from "./call.ts";
import type { ListView } from "./list.ts";

/** `GET /v1/scripts`: a file of tools, as the server uses it now. */
export interface ScriptView {
  readonly id: string;
  readonly object: "script";
  /** The file's path inside its folder, with `/`, for example `weather.py` or `harbour/main.py`. */
  readonly name: string;
  /** The path of its folder, for display. */
  readonly folder: string;
  readonly language: "python" | "powershell" | "module";
  /**
   * `live`: the tools are those of the current file. `stale`: the file is broken, and the server
   * uses its last valid version. `broken`: the file is broken and has no tools. `unapproved`: a
   * module that needs an approval.
   */
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly title: string;
  /** The ids of its groups. A script has one, a module any number. */
  readonly groups: readonly string[];
  readonly tools: readonly ScriptToolView[];
  readonly problems: readonly ScriptProblemView[];
  /** Whether this content, an earlier content or none is approved. */
  readonly approval: "current" | "outdated" | "none";
  /**
   * Whether users can change and approve the file over the API. They can for scripts, but not for
   * modules, because modules run inside the server.
   */
  readonly editable: boolean;
}

/** One tool of a file. */
export interface ScriptToolView {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly returns?: { readonly type: string; readonly note?: string };
  /** The line number from 1; absent if it is unknown. */
  readonly line?: number;
  /** Whether the file formats its result. */
  readonly has_format: boolean;
  /** The effective policy: `auto`, `ask-once`, `ask-always`, `deny`, `depends`. */
  readonly execution: string;
}

/**
 * `GET /v1/scripts/environment`: an environment value for scripts, which is stored or which a script
 * declares. No view contains the value itself.
 */
export interface ScriptValueView {
  readonly object: "script_value";
  readonly name: string;
  /**
   * The source of the value that scripts get. `stored`: it was set here; `unreadable`: it was set
   * here, but encrypted with another secret key, and must be set again; `configuration`:
   * `scripts.environment`; `server`: a variable of the server; `none`: there is no value.
   */
  readonly source: "stored" | "unreadable" | "configuration" | "server" | "none";
  /** When it was set here, in seconds since the epoch. */
  readonly set_at: number | null;
  /** The names of the scripts that declare it. */
  readonly scripts: readonly string[];
}

/** `PUT /v1/scripts/environment/:name`: the value, which cannot be read again. */
export interface ScriptValueBody {
  readonly value: string;
}

/** The answer to a removed value. */
export interface ScriptValueDeleted {
  readonly object: "script_value.deleted";
  readonly name: string;
  readonly deleted: true;
}

/** A problem of a file, with its location. Line and column count from 1. */
export interface ScriptProblemView {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** The permissions that a file, or one of its functions, declares. */
export interface ScriptPermissionsView {
  readonly executionPolicy?: ExecutionDecision;
  readonly resultApprovalPolicy?: ResultApprovalPolicy;
  readonly effects?: "read" | "write" | "exclusive";
  readonly idempotent?: boolean;
  readonly timeoutMs?: number;
  /** Whether it may reach public addresses, or the list of hosts that it may reach. */
  readonly network?: boolean | readonly string[];
  readonly secrets?: readonly string[];
  readonly roots?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
}

/** The permissions of the file, and those of functions that declare their own. */
export interface DeclaredPermissionsView {
  readonly file: ScriptPermissionsView;
  readonly functions: { readonly [name: string]: ScriptPermissionsView };
}

/**
 * `GET /v1/scripts/{id}`: the file as it is on the disk now, with the `tools` and `problems` of
 * that content.
 */
export interface ScriptDetail extends ScriptView {
  /** Null if the file is missing, a symbolic link, too large, or not text. */
  readonly source: string | null;
  /** The hash of `source`. Send it as `based_on` with a change. */
  readonly source_hash: string | null;
  /**
   * The hash of all its files. An approval applies to this hash only. Null if the file cannot be
   * approved.
   */
  readonly content_hash: string | null;
  /** The names of all its files: the file itself, and private files next to it or in its folder. */
  readonly files: readonly string[];
  /** The declared permissions; they take effect when this content is approved. */
  readonly declared: DeclaredPermissionsView | null;
  /** The last approved content, which may differ. */
  readonly approved: {
    readonly content_hash: string;
    /** Milliseconds since the epoch. */
    readonly approved_at: number;
    readonly declared: DeclaredPermissionsView;
  } | null;
}

/**
 * `GET /v1/scripts/{id}/files`: the files that an approval covers, `version=current` or `approved`.
 */
export interface ScriptFilesView {
  readonly object: "script_files";
  readonly content_hash: string;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    /** `sha256:…` of the bytes, so that clients can compare files without their text. */
    readonly hash: string;
    /** Null if the file is not text, or too long. */
    readonly text: string | null;
  }[];
}

/** `POST /v1/scripts/check`: checks the text of a script without saving it. */
export interface ScriptCheckBody {
  /** The file name, for example `weather.py`. Its extension selects the language. */
  readonly name: string;
  readonly source: string;
}

/** The tools and problems of the text. The server runs and saves nothing. */
export interface ScriptCheckView {
  readonly object: "script_check";
  readonly tools: readonly ScriptToolView[];
  readonly declared: DeclaredPermissionsView | null;
  readonly problems: readonly ScriptProblemView[];
}

/** `POST /v1/scripts`: creates a file from the template of its language. */
export interface ScriptCreateBody {
  /** `weather` or `weather.py`, `backup.ps1`. */
  readonly name: string;
}

/** `PUT /v1/scripts/{id}`. The server answers 409 if the file has changed meanwhile. */
export interface ScriptSaveBody {
  readonly source: string;
  /** The `source_hash` of the text before the change. */
  readonly based_on: string;
}

/** `DELETE /v1/scripts/{id}`; `POST /v1/scripts/{id}/restore` restores it. */
export interface ScriptDeleted {
  readonly id: string;
  readonly object: "script.deleted";
  readonly deleted: true;
}

/**
 * `POST /v1/scripts/{id}/approve`: approves exactly this content. The server answers 409 if the
 * file has another content.
 */
export interface ScriptApproveBody {
  readonly content_hash: string;
}

/** `POST /v1/scripts/{id}/calls`: starts a run that makes this one call. */
export interface ScriptCallBody {
  /** The tool's name in the file. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call of a script's tool. */
export interface ScriptCallView extends CallView {
  /** `person` if a user tried the tool, also for the sub-calls of that call. */
  readonly made_by: "person" | "model";
}

/** `GET /v1/scripts/{id}/calls`: newest first. */
export interface ScriptCallList extends ListView<ScriptCallView> {
  /** The ids of runs that were left out, because their stored calls are corrupt. */
  readonly unreadable: readonly string[];
}

/**
 * `GET /v1/scripts/events`, as server-sent events. Scripts may have changed, so read them again.
 */
export interface ScriptsChanged {
  readonly type: "scripts.changed";
  /** The number of this event on its connection, from 1. */
  readonly revision: number;
}
