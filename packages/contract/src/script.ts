import type { JsonObject, JsonSchema } from "@capstan/core";
import type { ExecutionDecision, ResultApprovalPolicy } from "@capstan/core/host";
import type { CallView } from "./call.ts";
import type { ListView } from "./list.ts";

/** `GET /v1/scripts`: a file of tools, as the server uses it now. */
export interface ScriptView {
  readonly id: string;
  readonly object: "script";
  /** The file in its folder, with `/`: `weather.py`, `harbour/main.py`. */
  readonly name: string;
  /** The path of its folder, for display. */
  readonly folder: string;
  readonly language: "python" | "powershell" | "module";
  /**
   * `live`: its tools are as the file has them. `stale`: the file is broken, and its last good
   * version is used. `broken`: it has no tools. `unapproved`: a module that needs an approval.
   */
  readonly status: "live" | "stale" | "broken" | "unapproved";
  readonly title: string;
  /** Ids of its groups; of a script one, of a module any number. */
  readonly groups: readonly string[];
  readonly tools: readonly ScriptToolView[];
  readonly problems: readonly ScriptProblemView[];
  /** Whether this content, an earlier one, or none is approved. */
  readonly approval: "current" | "outdated" | "none";
  /**
   * Whether it can be changed and approved here: scripts can; modules run inside the server and
   * cannot.
   */
  readonly editable: boolean;
}

/** One tool of a file, as it is read from it. */
export interface ScriptToolView {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly returns?: { readonly type: string; readonly note?: string };
  /** From 1; absent if it is unknown. */
  readonly line?: number;
  /** Whether the file formats its result. */
  readonly has_format: boolean;
  /** The effective policy: `auto`, `ask-once`, `ask-always`, `deny`, `depends`. */
  readonly execution: string;
}

/** A problem of a file, with its place; line and column from 1. */
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
  /** Public addresses, or the hosts that it names. */
  readonly network?: boolean | readonly string[];
  readonly secrets?: readonly string[];
  readonly roots?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
}

/** One set for the file, and what functions say otherwise. */
export interface DeclaredPermissionsView {
  readonly file: ScriptPermissionsView;
  readonly functions: { readonly [name: string]: ScriptPermissionsView };
}

/** `GET /v1/scripts/{id}`: the file as it is on the disk now; `tools` and `problems` are read from that. */
export interface ScriptDetail extends ScriptView {
  /** Null if it cannot be shown: it is missing, a link, too large, or not text. */
  readonly source: string | null;
  /** The hash of `source`, on which a change is based. */
  readonly source_hash: string | null;
  /** The hash of all its files, to which an approval is bound. Null if it cannot be approved. */
  readonly content_hash: string | null;
  /** The names of all its files: itself, and private files next to it or in its folder. */
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
    /** `sha256:…` of its bytes, to compare files that are not shown. */
    readonly hash: string;
    /** Null if it is not text, or too long to be shown. */
    readonly text: string | null;
  }[];
}

/** `POST /v1/scripts/check`: the text of a script that is not saved. */
export interface ScriptCheckBody {
  /** Its extension selects the language: `weather.py`. */
  readonly name: string;
  readonly source: string;
}

/** The tools and problems of the text. Nothing runs or is saved. */
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

/** `PUT /v1/scripts/{id}`. A file that changed meanwhile is a 409. */
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

/** `POST /v1/scripts/{id}/approve`: exactly this content; another one is a 409. */
export interface ScriptApproveBody {
  readonly content_hash: string;
}

/** `POST /v1/scripts/{id}/calls`: starts a run that makes this one call. */
export interface ScriptCallBody {
  /** The tool's name in the file. */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call of a script's tool, and who made it. */
export interface ScriptCallView extends CallView {
  /** `person`: a user tried it here; this includes its sub-calls. */
  readonly made_by: "person" | "model";
}

/** `GET /v1/scripts/{id}/calls`: the newest first. */
export interface ScriptCallList extends ListView<ScriptCallView> {
  /** Runs whose calls are damaged in the database, and left out. */
  readonly unreadable: readonly string[];
}

/** `GET /v1/scripts/events`, as server-sent events: something changed, so ask again. */
export interface ScriptsChanged {
  readonly type: "scripts.changed";
  /** Counts from 1 since this connection began. */
  readonly revision: number;
}
