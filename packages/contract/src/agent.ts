/** Selects tools of a group: by name, or those that only read. */
export interface AgentToolFilter {
  readonly tool_names?: readonly string[];
  readonly read_only?: boolean;
}

/** A tool group that an agent offers. */
export interface AgentGroup {
  readonly group: string;
  /** Names of tools, or a filter. @default all tools of the group */
  readonly allowed_tools?: readonly string[] | AgentToolFilter;
  /**
   * When calls need approval. `never` needs the right `approve`. @default each tool decides
   */
  readonly require_approval?:
    | "always"
    | "never"
    | { readonly always?: AgentToolFilter; readonly never?: AgentToolFilter };
}

/** A tool that the client runs: a function of OpenAI's API. */
export interface AgentFunction {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of an object. @default no arguments */
  readonly parameters?: { readonly [key: string]: unknown };
  readonly strict?: boolean;
}

/** An agent: a preset that a request selects with its name as the model. */
export interface AgentBody {
  /** The display name. @default the agent's name */
  readonly title?: string;
  /** @default the server's default model */
  readonly model?: string;
  /** They precede the instructions of the request. */
  readonly instructions?: string;
  /** 0 to 2; used by requests without a temperature. @default the provider's */
  readonly temperature?: number;
  /** Offered in addition to the tools of the request. */
  readonly groups?: readonly AgentGroup[];
  /** The form in which the model reads earlier turns. @default the server's setting */
  readonly history?: "log" | "full" | { readonly keep_turns: number };
  /** Rounds and server calls of a turn. They only lower the limits of the server. */
  readonly limits?: { readonly rounds?: number; readonly calls?: number };
  /**
   * `inline`: an answer waits for approvals in the page or the terminal. `deferred`: it ends with
   * approval requests. @default "inline"
   */
  readonly approvals?: "inline" | "deferred";
  /** Tools that the client runs. Threads always offer them. */
  readonly functions?: readonly AgentFunction[];
  /**
   * Whether the Responses API and Chat Completions also offer the tools that the client runs: the
   * `functions`, and those of the groups.
   * @default false
   */
  readonly offer_client_tools?: boolean;
}

/** `POST /v1/agents`: creates an agent of the user. */
export interface AgentCreateBody extends AgentBody {
  /** 1 to 48 of `a-z`, `0-9` and `-`. */
  readonly name: string;
}

/** An agent of `GET /v1/agents`. */
export interface AgentView extends AgentBody {
  /** The name. */
  readonly id: string;
  readonly object: "agent";
  readonly title: string;
  /** `configuration`: every user can use it, and only the settings file changes it. */
  readonly source: "configuration" | "user";
  /** Milliseconds since the epoch; absent for agents of the configuration. */
  readonly created_at?: number;
  readonly updated_at?: number;
  /** An agent of the configuration has the same name, and is used instead of this one. */
  readonly overridden?: true;
}

/** The response when an agent is deleted. */
export interface AgentDeleted {
  readonly id: string;
  readonly object: "agent.deleted";
  readonly deleted: true;
}
