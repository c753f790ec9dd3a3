import { errorMessage } from "@capstan/core/host";
import type {
  ApprovalAnswerBody,
  ApprovalView,
  CallOutcomeBody,
  CallView,
  ConversationView,
  GrantView,
  ListView,
  ModelView,
  OverrideChange,
  OverrideDeleted,
  OverrideView,
  ResultApprovalView,
  ReviewAnswerBody,
  ReviewPreview,
  RunEvent,
  RunView,
  RunWithEvents,
  ServerInfo,
  ToolGroupView,
  VariableValueView,
  VariableView,
} from "@capstan/contract";
import { ApiError, readApiError } from "./client-error.ts";
import { readEventStream } from "./read-event-stream.ts";

/** One message of a person, as a run. */
export interface StartRun {
  readonly conversation: string;
  readonly model: string;
  readonly text: string;
  /** Names of the tool groups to offer. */
  readonly groups: readonly string[];
}

/** The HTTP API as the terminal uses it. Every method throws `ApiError` where the server says no. */
export interface Client {
  readonly url: string;
  info(signal?: AbortSignal): Promise<ServerInfo>;
  models(signal?: AbortSignal): Promise<readonly ModelView[]>;
  toolGroups(signal?: AbortSignal): Promise<readonly ToolGroupView[]>;
  createConversation(signal?: AbortSignal): Promise<ConversationView>;
  conversation(id: string, signal?: AbortSignal): Promise<ConversationView>;
  latestConversation(signal?: AbortSignal): Promise<ConversationView | undefined>;
  runs(conversation: string, signal?: AbortSignal): Promise<readonly RunWithEvents[]>;
  /** Of every conversation: those with a call of which nobody knows whether it happened. */
  runsOfUnknownOutcome(signal?: AbortSignal): Promise<readonly RunView[]>;
  variables(conversation: string, signal?: AbortSignal): Promise<readonly VariableView[]>;
  variable(conversation: string, name: string, signal?: AbortSignal): Promise<VariableValueView>;
  startRun(run: StartRun, signal?: AbortSignal): Promise<{ readonly id: string }>;
  /** Answers that hold for more than one call, of a conversation and of every one. */
  grants(conversation?: string, signal?: AbortSignal): Promise<readonly GrantView[]>;
  revokeGrant(grant: string, signal?: AbortSignal): Promise<unknown>;
  /** The user's own rules. */
  rules(signal?: AbortSignal): Promise<readonly OverrideView[]>;
  setRule(change: OverrideChange, signal?: AbortSignal): Promise<OverrideView | OverrideDeleted>;
  removeRule(rule: string, signal?: AbortSignal): Promise<OverrideDeleted>;
  /** Events after a number, until the run ends or the connection does. */
  events(run: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  cancelRun(run: string, signal?: AbortSignal): Promise<RunView>;
  /** The ledger: what became of each call. */
  calls(run: string, signal?: AbortSignal): Promise<readonly CallView[]>;
  /** A person's word on a call of which nobody knows whether it happened; the first one counts. */
  answerOutcome(
    run: string,
    call: string,
    answer: CallOutcomeBody,
    signal?: AbortSignal,
  ): Promise<CallView>;
  /** A result that waits for a person, with a slice of its text. */
  review(
    approval: string,
    slice: { readonly start: number; readonly length: number },
    signal?: AbortSignal,
  ): Promise<ResultApprovalView>;
  previewReview(
    approval: string,
    answer: ReviewAnswerBody,
    signal?: AbortSignal,
  ): Promise<ReviewPreview>;
  answerApproval(
    approval: string,
    answer: ApprovalAnswerBody,
    signal?: AbortSignal,
  ): Promise<ApprovalView>;
}

/**
 * @param options.url the server's address, e.g. `http://127.0.0.1:8787`
 * @param options.key an API key, where the server wants one
 */
export function createClient(options: {
  readonly url: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
}): Client {
  const url = options.url.replace(/\/+$/, "");
  const send = options.fetch ?? fetch;

  async function request(method: string, path: string, more: RequestOptions): Promise<Response> {
    const headers: Record<string, string> = { accept: more.accept ?? "application/json" };
    if (options.key !== undefined) headers["authorization"] = `Bearer ${options.key}`;
    if (more.body !== undefined) headers["content-type"] = "application/json";
    const init: RequestInit = { method, headers };
    if (more.body !== undefined) init.body = JSON.stringify(more.body);
    if (more.signal) init.signal = more.signal;
    let response: Response;
    try {
      response = await send(`${url}${path}`, init);
    } catch (error) {
      more.signal?.throwIfAborted();
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      const message = `No answer from ${url}: ${errorMessage(cause)}`;
      throw new ApiError({ status: 0, code: "connection", message, cause: error });
    }
    if (!response.ok) throw await readApiError(response);
    return response;
  }

  async function json<T>(method: string, path: string, more: RequestOptions = {}): Promise<T> {
    const response = await request(method, path, more);
    return (await response.json()) as T;
  }

  async function list<T>(path: string, signal: AbortSignal | undefined): Promise<readonly T[]> {
    const all: T[] = [];
    for (let after: string | null = null; ;) {
      const page: ListView<T> = await json(
        "GET",
        after === null
          ? path
          : `${path}${path.includes("?") ? "&" : "?"}after=${encodeURIComponent(after)}`,
        { signal },
      );
      all.push(...page.data);
      // A page that does not move on would be asked for without end.
      if (!page.has_more || page.last_id === null || page.last_id === after) return all;
      after = page.last_id;
    }
  }

  const of = (conversation: string) => `/v1/conversations/${encodeURIComponent(conversation)}`;
  const ofApproval = (approval: string) => `/v1/approvals/${encodeURIComponent(approval)}`;
  const ofRun = (run: string) => `/v1/runs/${encodeURIComponent(run)}`;

  return {
    url,
    info: (signal) => json("GET", "/v1/capstan", { signal }),
    models: (signal) => list("/v1/models", signal),
    toolGroups: (signal) => list("/v1/tools", signal),
    createConversation: (signal) => json("POST", "/v1/conversations", { body: {}, signal }),
    conversation: (id, signal) => json("GET", of(id), { signal }),
    async latestConversation(signal) {
      const page = await json<ListView<ConversationView>>("GET", "/v1/conversations?limit=1", {
        signal,
      });
      return page.data[0];
    },
    runs: (conversation, signal) => list(`${of(conversation)}/runs`, signal),
    runsOfUnknownOutcome: (signal) => list("/v1/runs?outcome=unknown&limit=100", signal),
    variables: (conversation, signal) => list(`${of(conversation)}/variables`, signal),
    variable: (conversation, name, signal) =>
      json("GET", `${of(conversation)}/variables/${encodeURIComponent(name)}`, { signal }),
    grants: (conversation, signal) =>
      list(
        `/v1/grants${conversation === undefined ? "" : `?conversation=${encodeURIComponent(conversation)}`}`,
        signal,
      ),
    revokeGrant: (grant, signal) =>
      json("DELETE", `/v1/grants/${encodeURIComponent(grant)}`, { signal }),
    rules: (signal) => list("/v1/overrides", signal),
    setRule: (body, signal) => json("PUT", "/v1/overrides", { body, signal }),
    removeRule: (rule, signal) =>
      json("DELETE", `/v1/overrides/${encodeURIComponent(rule)}`, { signal }),
    startRun: ({ conversation, model, text, groups }, signal) =>
      json("POST", "/v1/responses", {
        signal,
        body: {
          model,
          input: text,
          conversation,
          background: true,
          approvals: "inline",
          tools: groups.map((name) => ({
            type: "mcp",
            server_label: name,
            server_url: `capstan://groups/${name}`,
          })),
        },
      }),
    async *events(run, after, signal) {
      const path = `${ofRun(run)}/events?starting_after=${after}`;
      const response = await request("GET", path, { accept: "text/event-stream", signal });
      if (!response.body) return;
      for await (const { data } of readEventStream(response.body))
        yield JSON.parse(data) as RunEvent;
    },
    cancelRun: (run, signal) => json("POST", `${ofRun(run)}/cancel`, { body: {}, signal }),
    calls: (run, signal) => list(`${ofRun(run)}/calls`, signal),
    answerOutcome: (run, call, body, signal) =>
      json("POST", `${ofRun(run)}/calls/${encodeURIComponent(call)}/outcome`, { body, signal }),
    review: (approval, { start, length }, signal) =>
      json("GET", `${ofApproval(approval)}?start=${start}&length=${length}`, { signal }),
    previewReview: (approval, body, signal) =>
      json("POST", `${ofApproval(approval)}/preview`, { body, signal }),
    answerApproval: (approval, body, signal) =>
      json("POST", ofApproval(approval), { body, signal }),
  };
}

interface RequestOptions {
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}
