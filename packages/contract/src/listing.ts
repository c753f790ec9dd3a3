import type { Grant, VariableInfo } from "@capstan/core";

/** Every list of the API, in OpenAI's form. */
export interface ListView<T> {
  readonly object: "list";
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

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

export interface GrantView extends Grant {
  readonly object: "grant";
  /** Where it was given, of branches the newest; null where it holds in every session, or outside of conversations. */
  readonly conversation: string | null;
}

/** `DELETE /v1/grants/{id}`. Revoking twice is the same as once. */
export interface GrantDeleted {
  readonly id: string;
  readonly object: "grant.deleted";
  readonly deleted: true;
  /** It had been revoked already; nothing was changed. */
  readonly again: boolean;
  /** When it was revoked first; milliseconds since the epoch. */
  readonly revokedAt: number | null;
}

export interface VariableView extends VariableInfo {
  readonly object: "variable";
}

/** `GET /v1/conversations/{id}/variables/{name}`; `start` and `length` choose a slice. */
export interface VariableValueView extends VariableView {
  readonly text: string;
  readonly start: number;
  readonly data?: unknown;
}

/** `PUT /v1/conversations/{id}/variables/{name}`: makes a variable, or changes what is given. */
export interface VariableUpdate {
  readonly text?: string;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}

/** `GET /v1/capstan`: what the page says of itself. */
export interface ServerInfo {
  readonly object: "capstan";
  readonly version: string;
  readonly model: { readonly id: string; readonly reason: string };
  /** Whether requests need an API key. */
  readonly authentication: boolean;
  /** Whether who asks may see and change files of tools, at `/v1/scripts`. */
  readonly scripts: boolean;
}

/** Every error of the API. `param` and `code` are always text. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string;
    readonly code: string;
  };
}
