import type { ConnectionView } from "./connections/connection.ts";

/** A model of `GET /v1/models`. `created` is in seconds since 1970. */
export interface ModelView {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
  /** The display name, for example `GPT-5.5 (OpenAI)`. */
  readonly title: string;
  /** Whether requests without a model use this one. */
  readonly default: boolean;
  /** The reason why it is listed, for example `OPENAI_API_KEY is set`. */
  readonly reason: string;
}

/** A tool of a group in `GET /v1/tools`. */
export interface ToolView {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Whether it is enabled by default in conversations. */
  readonly default_enabled: boolean;
  readonly always_offered: boolean;
  /**
   * `auto`, `ask-once`, `ask-always`, `deny`, or `depends` if the tool decides by its arguments.
   */
  readonly execution: string;
  /** A program, key or service that is missing: models are not offered the tool until it is there. */
  readonly unavailable: { readonly needs: string; readonly fix: string | null } | null;
}

/** A tool group of `GET /v1/tools`. */
export interface ToolGroupView {
  readonly name: string;
  readonly object: "tool_group";
  readonly title: string;
  readonly description: string;
  readonly default_enabled: boolean;
  readonly tools: readonly ToolView[];
  /** The state of the connection that provides the tools, if one does. */
  readonly connection?: {
    readonly state: ConnectionView["state"];
    readonly error: string | null;
  };
}

/**
 * The rights of a key, a paired browser or a terminal: `ask` starts runs and reads the principal's
 * own data, `approve` answers approval requests and loosens rules, `admin` reads and changes
 * scripts and connections.
 */
export type Right = "ask" | "approve" | "admin";

/**
 * The callers whose answers to approval requests count: all callers with `ask`, or only paired
 * browsers, terminals and keys with `approve`.
 */
export type ApprovalsFrom = "anyone" | "people";

/** `GET /v1/capstan`: facts about the server. */
export interface ServerInfo {
  readonly object: "capstan";
  readonly version: string;
  readonly model: { readonly id: string; readonly reason: string };
  /** Whether requests need an API key. */
  readonly authentication: boolean;
  readonly approvals_from: ApprovalsFrom;
  /** The rights of the caller. */
  readonly rights: readonly Right[];
  /** Whether the caller may see and change script files at `/v1/scripts`. */
  readonly scripts: boolean;
  /**
   * When the caller's data is deleted: after this many days without a change, and the oldest data if
   * all of it exceeds this size. Null without a limit.
   */
  readonly retention: { readonly days: number | null; readonly megabytes: number | null };
  /** Whether the caller may see and set providers of models at `/v1/providers`. */
  readonly providers: boolean;
  /**
   * Whether a changed settings file waits for a user to accept it; false for callers without
   * `admin`.
   */
  readonly configuration_waits: boolean;
  /** Whether users can share conversations by links. */
  readonly sharing: boolean;
}
