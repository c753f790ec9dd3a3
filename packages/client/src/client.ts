import type {
  AgentBody,
  AgentCreateBody,
  AgentView,
  ApprovalAnswerBody,
  ApprovalView,
  ExecutionApprovalView,
  CallOutcomeBody,
  CallView,
  ConnectionAcceptBody,
  ConnectionCreateBody,
  ConnectionCredentialBody,
  ConnectionCredentialDeleted,
  ConnectionDetail,
  ConnectionKeyView,
  ConnectionUpdateBody,
  ConnectionView,
  ConversationMatches,
  ConversationState,
  ConversationUpdate,
  ConversationView,
  CorruptView,
  CreatedShare,
  FileView,
  GrantView,
  ListView,
  ModelView,
  OpenedSession,
  OverrideChange,
  OverrideDeleted,
  OverrideView,
  PairingView,
  PreferencesUpdate,
  PreferencesView,
  ProviderBody,
  ProviderView,
  ResultApprovalView,
  ReviewAnswerBody,
  ReviewPreview,
  RunEvent,
  RunView,
  RunWithEvents,
  ScriptApproveBody,
  ScriptCallBody,
  ScriptCallList,
  ScriptCheckBody,
  ScriptCheckView,
  ScriptCreateBody,
  ScriptDetail,
  ScriptFilesView,
  ScriptSaveBody,
  ScriptValueBody,
  ScriptValueView,
  ScriptView,
  ServerInfo,
  SessionView,
  SharedConversation,
  ShareRequest,
  ShareView,
  SignInAnswerBody,
  SignInBody,
  SignInResult,
  SignInView,
  Switches,
  ToolGroupView,
  UsageView,
  UserEvent,
  VariableUpdate,
  VariableValueView,
  VariableView,
} from "@capstan/contract";
import { follow, type Opened, type Retry } from "./follow/follow.ts";
import { readEventStream } from "./http/event-stream.ts";
import { type RequestOptions, send, ServerClock } from "./http/send.ts";

/** Options of a client: the server's address, the credentials, and replacements for functions. */
export interface ClientOptions {
  /** The server's address, such as `http://127.0.0.1:8787`. @default the origin of the page */
  readonly url?: string;
  /** An API key, or a function that returns the current one. @default none */
  readonly key?: string | (() => string | null | undefined) | undefined;
  /**
   * Returns the anti-forgery token of a paired browser. The session cookie is valid only together
   * with it. @default none
   */
  readonly antiForgeryToken?: () => string | null | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
  /**
   * Text for the end of the error's message if the server rejects the key, for example where to set
   * one. @default none
   */
  readonly keyHint?: string;
  /**
   * The connected program for which the user acts, such as `codex`. Requests then use its rules,
   * grants and conversations. @default the user's own
   */
  readonly program?: string | undefined;
}

/** A file of the server that a message contains. */
export interface MessageFile {
  readonly id: string;
  /** Whether the model gets it as an image; otherwise it gets it as a file. */
  readonly isImage: boolean;
}

/** A message of an earlier conversation. */
export interface AddedMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** The user's message and the settings of a new run. */
export interface StartRun {
  readonly conversation: string;
  readonly model: string;
  readonly text: string;
  /** @default none */
  readonly files?: readonly MessageFile[];
  /** Names of the tool groups to offer. */
  readonly groups: readonly string[];
  /** They follow the instructions of an agent. @default none */
  readonly instructions?: string | undefined;
  /**
   * The response that the message follows, or null for the start of the conversation.
   *
   * @default the newest response of the conversation
   */
  readonly after?: string | null | undefined;
  /**
   * The newest response of the conversation that the user knows, or null if there is none. If there
   * is a newer one, the server rejects the message with a 409.
   *
   * @default the server does not check
   */
  readonly head?: string | null | undefined;
}

/** The HTTP API. Every method throws `ApiError` if the request fails. */
export type Client = ReturnType<typeof createClient>;

type Signal = AbortSignal | undefined;
type Slice = { readonly start: number; readonly length?: number };

/**
 * Milliseconds without a byte after which a connection counts as lost, for example after a laptop
 * slept.
 */
const silenceLimitMs = 60_000;

/** The number of runs that `newestRuns` returns. */
const newestRuns = 20;

const id = encodeURIComponent;
const pathOf = {
  agent: (name: string) => `/v1/agents/${id(name)}`,
  approval: (approval: string) => `/v1/approvals/${id(approval)}`,
  call: (run: string, call: string) => `/v1/runs/${id(run)}/calls/${id(call)}`,
  connection: (name: string) => `/v1/connections/${id(name)}`,
  conversation: (conversation: string) => `/v1/conversations/${id(conversation)}`,
  run: (run: string) => `/v1/runs/${id(run)}`,
  script: (script: string) => `/v1/scripts/${id(script)}`,
  variable: (conversation: string, name: string) =>
    `/v1/conversations/${id(conversation)}/variables/${id(name)}`,
};

/**
 * Creates a client of a server's HTTP API. It sends nothing until you call a method.
 *
 * @example
 * const client = createClient({ url: "http://127.0.0.1:8787" });
 * for (const { id, title } of await client.models()) console.log(id, title);
 */
export function createClient(options: ClientOptions = {}) {
  const { key } = options;
  const clock = new ServerClock();
  const connection = {
    url: (options.url ?? "").replace(/\/+$/, ""),
    key: typeof key === "function" ? key : () => key,
    // Read `globalThis.fetch` for each request, because tests and pages may replace it.
    fetch: options.fetch ?? ((...request: Parameters<typeof fetch>) => fetch(...request)),
    clock,
    keyHint: options.keyHint,
    program: options.program,
    antiForgeryToken: options.antiForgeryToken ?? (() => undefined),
  };

  async function json<T>(path: string, request: RequestOptions = {}): Promise<T> {
    const response = await send(connection, path, request);
    return (await response.json()) as T;
  }
  const post = <T>(path: string, body: unknown, signal?: AbortSignal) =>
    json<T>(path, { method: "POST", body, signal });
  const remove = (path: string, more?: RequestOptions) =>
    json<unknown>(path, { ...more, method: "DELETE" });

  /** Reads all pages of a list. */
  async function list<T>(
    path: string,
    signal?: AbortSignal,
    query: { readonly [name: string]: string } = {},
  ): Promise<readonly T[]> {
    const all: T[] = [];
    for (let after: string | null = null; ;) {
      const parameters = new URLSearchParams({ ...query, ...(after !== null && { after }) });
      const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
      const page: ListView<T> = await json(`${path}${search}`, { signal });
      all.push(...page.data);
      // Stop at a page without a new cursor, because the loop would not end.
      if (!page.has_more || page.last_id === null || page.last_id === after) return all;
      after = page.last_id;
    }
  }

  async function* events<T>(path: string, signal: AbortSignal, opened?: Opened): AsyncGenerator<T> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceLimitMs);
    const onChunk = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceLimitMs);
    };
    const accept = "text/event-stream";
    try {
      const either = AbortSignal.any([signal, silence.signal]);
      const { status, body } = await send(connection, path, { accept, signal: either });
      opened?.(status === 204);
      if (body === null) return;
      for await (const data of readEventStream(body, { onChunk })) yield JSON.parse(data) as T;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    url: connection.url,
    /**
     * Returns the server's time, in ms since the epoch, estimated from the `Date` of its last
     * response.
     */
    now: () => clock.now(),

    // The server
    info: (signal?: Signal) => json<ServerInfo>("/v1/capstan", { signal }),
    /** Creates a code that pairs a browser. Only terminals of the server's user may call this. */
    createPairing: () => post<PairingView>("/v1/pairings", {}),
    /** Pairs this browser. The response sets its session cookie. */
    pair: (code: string) => post<OpenedSession>("/v1/sessions", { code }),
    sessions: () => list<SessionView>("/v1/sessions"),
    revokeSession: (session: string) => remove(`/v1/sessions/${id(session)}`),
    models: (signal?: Signal) => list<ModelView>("/v1/models", signal),
    toolGroups: (signal?: Signal) => list<ToolGroupView>("/v1/tools", signal),
    /** Returns the user's settings of the page. */
    preferences: (signal?: Signal) => json<PreferencesView>("/v1/preferences", { signal }),
    changePreferences: (body: PreferencesUpdate) =>
      json<PreferencesView>("/v1/preferences", { method: "PUT", body }),
    /** Returns the providers of models, without their keys. */
    providers: (signal?: Signal) => list<ProviderView>("/v1/providers", signal),
    /** Tries a provider and stores it. Fails if it does not accept the key. */
    saveProvider: (provider: string, body: ProviderBody) =>
      json<ProviderView>(`/v1/providers/${id(provider)}`, { method: "PUT", body }),
    removeProvider: (provider: string) =>
      json<ProviderView>(`/v1/providers/${id(provider)}`, { method: "DELETE" }),
    /**
     * Returns the tokens that the user used, by day and model, newest day first.
     *
     * @param options.utcOffset the time zone of the days, in minutes ahead of UTC
     */
    usage: (
      { days, utcOffset }: { readonly days: number; readonly utcOffset: number },
      signal?: Signal,
    ) => list<UsageView>("/v1/usage", signal, { days: `${days}`, utc_offset: `${utcOffset}` }),
    /**
     * Yields the changes of the user's data, and reconnects when the connection breaks. `resync`
     * means that changes may be missing.
     *
     * @param options.after the cursor of the last known event @default begins with `resync`
     */
    followEvents: (options: {
      readonly signal: AbortSignal;
      readonly after?: string | undefined;
      readonly retry?: Retry;
    }) => {
      let { after } = options;
      return follow<UserEvent>({
        ...options,
        open: (opened) => {
          const from = after === undefined ? "" : `?starting_after=${id(after)}`;
          return events(`/v1/events${from}`, options.signal, opened);
        },
        isNew: ({ cursor }) => {
          after = cursor;
          return true;
        },
        isLast: () => false,
      });
    },

    // Conversations
    /**
     * Returns one page of the conversations, newest first: at most `limit`, from the one after the
     * id `after`.
     */
    conversations: (
      page: {
        readonly limit: number;
        readonly after?: string | undefined;
        /** @default all states */
        readonly state?: ConversationState;
      },
      signal?: Signal,
    ) => {
      const after = page.after === undefined ? "" : `&after=${id(page.after)}`;
      const state = page.state === undefined ? "" : `&state=${page.state}`;
      const path = `/v1/conversations?limit=${page.limit}${state}${after}`;
      return json<ListView<ConversationView | CorruptView>>(path, { signal });
    },
    latestConversation: async (signal?: Signal) => {
      const path = "/v1/conversations?limit=20";
      const { data } = await json<ListView<ConversationView | CorruptView>>(path, { signal });
      return data.find((entry) => entry.object === "conversation");
    },
    /** Finds conversations with all words of a query in their title or messages. */
    searchConversations: (query: string, signal?: Signal) =>
      json<ConversationMatches>(`/v1/conversations/search?query=${id(query)}`, { signal }),
    createConversation: (
      body: {
        readonly title?: string;
        readonly switches?: Switches;
        readonly metadata?: { readonly [key: string]: string };
      } = {},
      signal?: Signal,
    ) => post<ConversationView>("/v1/conversations", body, signal),
    /** Adds messages to a conversation: at most 20. No model is asked. */
    addMessages: (conversation: string, items: readonly AddedMessage[], signal?: Signal) =>
      post<unknown>(`${pathOf.conversation(conversation)}/items`, { items }, signal),
    conversation: (conversation: string, signal?: Signal) =>
      json<ConversationView>(pathOf.conversation(conversation), { signal }),
    updateConversation: (conversation: string, body: ConversationUpdate) =>
      post<ConversationView>(pathOf.conversation(conversation), body),
    /** @param more.keepalive lets the request outlive the page */
    deleteConversation: (conversation: string, more: { readonly keepalive?: boolean } = {}) =>
      remove(pathOf.conversation(conversation), more),

    // Links
    /** Creates a link to a conversation, in place of an earlier one. Only this answer has its token. */
    createShare: (conversation: string, body: ShareRequest) =>
      post<CreatedShare>(`${pathOf.conversation(conversation)}/share`, body),
    share: (conversation: string, signal?: Signal) =>
      json<ShareView>(`${pathOf.conversation(conversation)}/share`, { signal }),
    revokeShare: (conversation: string) => remove(`${pathOf.conversation(conversation)}/share`),
    shares: (signal?: Signal) => list<ShareView>("/v1/shares", signal),
    /** Returns what a link shows. The client's key is the token of the link. */
    shared: (signal?: Signal) => json<SharedConversation>("/v1/shared", { signal }),

    // Runs
    runs: (conversation: string, signal?: Signal) =>
      list<RunWithEvents>(`${pathOf.conversation(conversation)}/runs`, signal, { limit: "100" }),
    run: (run: string, signal?: Signal) => json<RunView>(pathOf.run(run), { signal }),
    /** Returns the newest runs of a conversation without their events, newest first. */
    newestRuns: (conversation: string, signal?: Signal) =>
      json<ListView<RunView | CorruptView>>(
        `/v1/runs?conversation=${id(conversation)}&limit=${newestRuns}`,
        { signal },
      ),
    /** Returns the runs of all conversations that have a call with an unknown outcome. */
    runsOfUnknownOutcome: (signal?: Signal) =>
      list<RunView>("/v1/runs", signal, { outcome: "unknown", limit: "100" }),
    /**
     * Starts a run in the background and returns its id. Calls that need an approval wait for the
     * answer.
     */
    startRun: (
      { conversation, model, text, files, groups, instructions, after, head }: StartRun,
      signal?: Signal,
    ) => {
      const tools = groups.map((group) => ({
        type: "mcp",
        server_label: group,
        server_url: `capstan://groups/${group}`,
      }));
      const isPlain = after === undefined && head === undefined;
      const place = isPlain ? conversation : { id: conversation, after, head };
      const turn = { model, input: inputOf(text, files), conversation: place, tools };
      const more = instructions === undefined ? {} : { instructions };
      const body = { ...turn, ...more, background: true, approvals: "inline" };
      return post<{ readonly id: string }>("/v1/responses", body, signal);
    },
    /** Returns the whole input of a run as Responses items, of which its view may have only a part. */
    runInput: (run: string, signal?: Signal) =>
      list<unknown>(`/v1/responses/${id(run)}/input_items`, signal, { order: "asc", limit: "100" }),
    cancelRun: (run: string, signal?: Signal) =>
      post<RunView>(`${pathOf.run(run)}/cancel`, {}, signal),
    retryRun: (run: string, model: string) => post<RunView>(`${pathOf.run(run)}/retry`, { model }),
    /**
     * Yields the events after a sequence number over one connection, until the run or the
     * connection ends.
     */
    events: (run: string, after: number, signal: AbortSignal, opened?: Opened) =>
      events<RunEvent>(`${pathOf.run(run)}/events?starting_after=${after}`, signal, opened),

    // Calls
    /** Returns the run's calls and their outcomes. */
    calls: (run: string, signal?: Signal) => list<CallView>(`${pathOf.run(run)}/calls`, signal),
    cancelCall: (run: string, call: string) =>
      post<RunView>(`${pathOf.call(run, call)}/cancel`, {}),
    /** Reports the outcome of a call with the state `outcome_unknown`. The first report counts. */
    answerOutcome: (run: string, call: string, body: CallOutcomeBody, signal?: Signal) =>
      post<CallView>(`${pathOf.call(run, call)}/outcome`, body, signal),

    // Approvals, reviews, grants and rules
    /** Returns the pending approval requests of all conversations, newest first. */
    pendingApprovals: (signal?: Signal) =>
      list<ApprovalView | CorruptView>("/v1/approvals", signal, {
        status: "pending",
        limit: "100",
      }),
    approval: (approval: string, signal?: Signal) =>
      json<ApprovalView>(pathOf.approval(approval), { signal }),
    answerApproval: (approval: string, body: ApprovalAnswerBody, signal?: Signal) =>
      post<ApprovalView>(pathOf.approval(approval), body, signal),
    /** Returns a result that waits for a review, with a slice of its text. */
    review: (approval: string, { start, length }: Slice, signal?: Signal) => {
      const end = length === undefined ? "" : `&length=${length}`;
      const path = `${pathOf.approval(approval)}?start=${start}${end}`;
      return json<ResultApprovalView>(path, { signal });
    },
    /** Returns an approval with a slice of a variable that its call reads. */
    approvalVariable: (
      approval: string,
      name: string,
      { start, length }: Required<Slice>,
      signal?: Signal,
    ) => {
      const slice = `variable=${encodeURIComponent(name)}&start=${start}&length=${length}`;
      return json<ExecutionApprovalView>(`${pathOf.approval(approval)}?${slice}`, { signal });
    },
    /** Returns the text that the model would get after an answer. It decides nothing. */
    previewReview: (approval: string, body: ReviewAnswerBody, signal?: Signal) =>
      post<ReviewPreview>(`${pathOf.approval(approval)}/preview`, body, signal),
    /** Returns the grants that apply to a conversation, or all grants. */
    grants: (conversation?: string, signal?: Signal) =>
      list<GrantView | CorruptView>("/v1/grants", signal, {
        ...(conversation !== undefined && { conversation }),
      }),
    revokeGrant: (grant: string, signal?: Signal) => remove(`/v1/grants/${id(grant)}`, { signal }),
    /** Returns the user's own rules. */
    rules: (signal?: Signal) => list<OverrideView>("/v1/overrides", signal),
    setRule: (body: OverrideChange, signal?: Signal) =>
      json<OverrideView | OverrideDeleted>("/v1/overrides", { method: "PUT", body, signal }),
    removeRule: (rule: string, signal?: Signal) => remove(`/v1/overrides/${id(rule)}`, { signal }),

    // Agents
    /** Returns the agents of the configuration and the user's own. */
    agents: (signal?: Signal) => list<AgentView | CorruptView>("/v1/agents", signal),
    agent: (name: string, signal?: Signal) => json<AgentView>(pathOf.agent(name), { signal }),
    createAgent: (body: AgentCreateBody, signal?: Signal) =>
      post<AgentView>("/v1/agents", body, signal),
    /** Replaces all fields of the user's own agent. */
    changeAgent: (name: string, body: AgentBody, signal?: Signal) =>
      json<AgentView>(pathOf.agent(name), { method: "PUT", body, signal }),
    deleteAgent: (name: string, signal?: Signal) => remove(pathOf.agent(name), { signal }),

    // Variables
    /** @param filter search texts; an empty list disables the filter */
    variables: (
      conversation: string,
      filter: { readonly search?: string; readonly type?: string; readonly tag?: string } = {},
      signal?: Signal,
    ) => {
      const wanted = Object.entries(filter).filter(([, text]) => text !== "");
      const path = `${pathOf.conversation(conversation)}/variables`;
      return list<VariableView | CorruptView>(path, signal, Object.fromEntries(wanted));
    },
    /** Returns a variable with its value or a slice of it. */
    variable: (conversation: string, name: string, slice?: Required<Slice>, signal?: Signal) => {
      const query = slice === undefined ? "" : `?start=${slice.start}&length=${slice.length}`;
      const path = `${pathOf.variable(conversation, name)}${query}`;
      return json<VariableValueView>(path, { signal });
    },
    writeVariable: (conversation: string, name: string, body: VariableUpdate) =>
      json<VariableValueView>(pathOf.variable(conversation, name), { method: "PUT", body }),
    deleteVariable: (conversation: string, name: string) =>
      remove(pathOf.variable(conversation, name)),

    // Files
    /**
     * Uploads a file that messages can name.
     *
     * @example await client.uploadFile(new File(["a,b"], "table.csv", { type: "text/csv" }))
     */
    uploadFile: (file: File, signal?: Signal) => {
      const form = new FormData();
      form.append("purpose", "user_data");
      form.append("file", file, file.name);
      return json<FileView>("/v1/files", { method: "POST", form, signal });
    },
    /** Returns the files of a conversation: those of its messages and those of its tools. */
    files: (conversation: string, signal?: Signal) =>
      list<FileView>("/v1/files", signal, { conversation, limit: "100" }),
    deleteFile: (file: string) => remove(`/v1/files/${id(file)}`),
    /** Returns the bytes of a file. */
    fileContent: async (file: string, signal?: Signal): Promise<Blob> => {
      const path = `/v1/files/${id(file)}/content`;
      return (await send(connection, path, { accept: "*/*", signal })).blob();
    },

    // Connections
    connections: (signal?: Signal) => list<ConnectionView>("/v1/connections", signal),
    connection: (name: string, signal?: Signal) =>
      json<ConnectionDetail>(pathOf.connection(name), { signal }),
    addConnection: (body: ConnectionCreateBody, signal?: Signal) =>
      post<ConnectionDetail>("/v1/connections", body, signal),
    changeConnection: (name: string, body: ConnectionUpdateBody) =>
      json<ConnectionDetail>(pathOf.connection(name), { method: "PATCH", body }),
    removeConnection: (name: string) => remove(pathOf.connection(name)),
    /** Connects to the server and reads its tools. */
    checkConnection: (name: string, signal?: Signal) =>
      post<ConnectionDetail>(`${pathOf.connection(name)}/check`, {}, signal),
    /** Accepts the tools that were read with this digest. */
    acceptConnection: (name: string, body: ConnectionAcceptBody) =>
      post<ConnectionDetail>(`${pathOf.connection(name)}/accept`, body),
    setCredential: (name: string, body: ConnectionCredentialBody) =>
      json<ConnectionDetail>(`${pathOf.connection(name)}/credential`, { method: "PUT", body }),
    /** Signs out: revokes and deletes the caller's credential, or the shared one. */
    removeCredential: (name: string, more: { readonly shared?: boolean } = {}) =>
      json<ConnectionCredentialDeleted>(
        `${pathOf.connection(name)}/credential${more.shared === true ? "?shared=true" : ""}`,
        { method: "DELETE" },
      ),
    startSignIn: (name: string, body: SignInBody) =>
      post<SignInView>(`${pathOf.connection(name)}/sign_in`, body),
    finishSignIn: (body: SignInAnswerBody, signal?: Signal) =>
      post<SignInResult>("/v1/connections/sign_in", body, signal),
    /** Encrypts all stored credentials with a new key. */
    rotateKey: () => post<ConnectionKeyView>("/v1/connections/rotate_key", {}),

    // Script files
    scripts: () => list<ScriptView>("/v1/scripts"),
    script: (script: string, signal?: Signal) =>
      json<ScriptDetail>(pathOf.script(script), { signal }),
    scriptFiles: (script: string, version: "current" | "approved") =>
      json<ScriptFilesView>(`${pathOf.script(script)}/files?version=${version}`),
    checkScript: (body: ScriptCheckBody, signal?: Signal) =>
      post<ScriptCheckView>("/v1/scripts/check", body, signal),
    createScript: (body: ScriptCreateBody) => post<ScriptDetail>("/v1/scripts", body),
    saveScript: (script: string, body: ScriptSaveBody) =>
      json<ScriptDetail>(pathOf.script(script), { method: "PUT", body }),
    deleteScript: (script: string) => remove(pathOf.script(script)),
    restoreScript: (script: string) => post<ScriptDetail>(`${pathOf.script(script)}/restore`, {}),
    approveScript: (script: string, body: ScriptApproveBody) =>
      post<ScriptDetail>(`${pathOf.script(script)}/approve`, body),
    revokeScript: (script: string) => post<ScriptDetail>(`${pathOf.script(script)}/revoke`, {}),
    callScript: (script: string, body: ScriptCallBody) =>
      post<RunView>(`${pathOf.script(script)}/calls`, body),
    scriptCalls: (script: string) => json<ScriptCallList>(`${pathOf.script(script)}/calls`),
    scriptValues: () => list<ScriptValueView>("/v1/scripts/environment"),
    setScriptValue: (name: string, body: ScriptValueBody) =>
      json<ScriptValueView>(`/v1/scripts/environment/${id(name)}`, { method: "PUT", body }),
    removeScriptValue: (name: string) => remove(`/v1/scripts/environment/${id(name)}`),
    /** Yields when script files may have changed, and after each reconnection. */
    followScripts: (more: { readonly signal: AbortSignal; readonly retry?: Retry }) =>
      follow<unknown>({
        ...more,
        open: () => events("/v1/scripts/events", more.signal),
        isLast: () => false,
      }),
  };
}

/** Returns a message as the input of a response. */
function inputOf(text: string, files: readonly MessageFile[] = []): unknown {
  if (files.length === 0) return text;
  const parts = files.map(({ id: file, isImage }) => ({
    type: isImage ? "input_image" : "input_file",
    file_id: file,
  }));
  const content = [...(text === "" ? [] : [{ type: "input_text", text }]), ...parts];
  return [{ type: "message", role: "user", content }];
}
