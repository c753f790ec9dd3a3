export interface ModelView {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
  /** What people read: `GPT-5.5 (OpenAI)`. */
  readonly title: string;
  /** The model that is used where a request or the page names none. */
  readonly default: boolean;
  /** Why it is here: `OPENAI_API_KEY is set`. */
  readonly reason: string;
}

export interface ToolView {
  /** `group.Tool`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** On where a conversation says nothing. */
  readonly default_enabled: boolean;
  readonly always_offered: boolean;
  /** `auto`, `ask-once`, `ask-always`, `deny`, or `depends` where the tool decides by its arguments. */
  readonly execution: string;
}

export interface ToolGroupView {
  readonly name: string;
  readonly object: "tool_group";
  readonly title: string;
  readonly description: string;
  readonly default_enabled: boolean;
  readonly tools: readonly ToolView[];
}

/**
 * What a key, a paired browser or a terminal may do: `ask` starts runs and reads what is the principal's own,
 * `approve` answers approval requests and loosens what asks, `admin` sees and changes scripts.
 */
export type Right = "ask" | "approve" | "admin";

/** Whose answers count: everybody's who may ask, or those of paired browsers, terminals and keys with `approve`. */
export type ApprovalsFrom = "anyone" | "people";

/** `GET /v1/capstan`: what the page says of itself. */
export interface ServerInfo {
  readonly object: "capstan";
  readonly version: string;
  readonly model: { readonly id: string; readonly reason: string };
  /** Whether requests need an API key. */
  readonly authentication: boolean;
  readonly approvals_from: ApprovalsFrom;
  /** Of who asks. */
  readonly rights: readonly Right[];
  /** Whether who asks may see and change files of tools, at `/v1/scripts`. */
  readonly scripts: boolean;
  /** Whether a changed settings file waits until a user accepts it; false without the right `admin`. */
  readonly configuration_waits: boolean;
}
