import assert from "node:assert/strict";
import type {
  ApprovalAnswerBody,
  ApprovalView,
  ConversationView,
  ErrorBody,
  GrantView,
  ListView,
  RunEvent,
  RunView,
  RunWithEvents,
  VariableUpdate,
  VariableValueView,
  VariableView,
} from "@capstan/contract";

/** A run's events of one type. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>;

export interface TurnOptions {
  readonly conversation: string;
  readonly input: string;
  /** Groups whose tools are offered. @default none */
  readonly groups?: readonly string[];
  readonly model?: string;
}

export type Api = ReturnType<typeof createApi>;

/** The API as a page uses it. A refusal is an `ApiRefusal`. */
export function createApi(url: string, key?: string) {
  const authorization: Record<string, string> =
    key === undefined ? {} : { Authorization: `Bearer ${key}` };

  async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...authorization, ...(body !== undefined && jsonHeaders) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new ApiRefusal(response.status, (answer as ErrorBody).error);
    return answer as T;
  }
  const variable = (conversation: string, name: string) =>
    `/v1/conversations/${conversation}/variables/${encodeURIComponent(name)}`;

  const questions = async (conversation: string, status: string) =>
    (
      await request<ListView<ApprovalView>>(
        "GET",
        `/v1/approvals?conversation=${conversation}&status=${status}`,
      )
    ).data;

  /**
   * A run's events from a sequence number on, as they arrive. Leaving the loop closes the stream.
   */
  async function* events(runId: string, after = 0): AsyncGenerator<RunEvent> {
    const stop = new AbortController();
    const response = await fetch(`${url}/v1/runs/${runId}/events?starting_after=${after}`, {
      headers: authorization,
      signal: stop.signal,
    });
    assert.equal(response.status, 200);
    try {
      for await (const { id, event, data } of readEventStream(response)) {
        const parsed = JSON.parse(data) as RunEvent;
        assert.equal(id, String(parsed.seq));
        assert.equal(event, parsed.type);
        yield parsed;
      }
    } finally {
      stop.abort();
    }
  }

  return {
    url,
    request,
    /** Stores a file. @returns its id */
    async storeFile(name: string, text: string): Promise<string> {
      const body = new FormData();
      body.set("purpose", "user_data");
      body.set("file", new File([text], name));
      const response = await fetch(`${url}/v1/files`, {
        method: "POST",
        headers: authorization,
        body,
      });
      const { id } = (await response.json()) as { readonly id: string };
      return id;
    },
    events,

    createConversation: () => request<ConversationView>("POST", "/v1/conversations", {}),
    conversation: (id: string) => request<ConversationView>("GET", `/v1/conversations/${id}`),
    runs: async (id: string) =>
      (await request<ListView<RunWithEvents>>("GET", `/v1/conversations/${id}/runs`)).data,
    run: (id: string) => request<RunView>("GET", `/v1/runs/${id}`),
    cancel: (id: string) => request<RunView>("POST", `/v1/runs/${id}/cancel`),
    retry: (id: string) => request<RunView>("POST", `/v1/runs/${id}/retry`),

    /** Starts a turn as the page does, and returns its run's id. */
    async startTurn({ conversation, input, groups = [], model }: TurnOptions): Promise<string> {
      const { id } = await request<{ readonly id: string }>("POST", "/v1/responses", {
        input,
        conversation,
        background: true,
        approvals: "inline",
        tools: groups.map(groupTool),
        ...(model !== undefined && { model }),
      });
      return id;
    },

    /** Waits for the first event of a type. */
    async firstEvent<T extends RunEvent["type"]>(runId: string, type: T): Promise<EventOf<T>> {
      for await (const event of events(runId)) if (event.type === type) return event as EventOf<T>;
      throw new Error(`The run ${runId} ended without ${type}.`);
    },

    /** All events of a run, once it has ended. Numbered 1 to n, with one closing event at the end. */
    async finishedEvents(runId: string): Promise<readonly RunEvent[]> {
      const all = await Array.fromAsync(events(runId));
      assertNumbered(all);
      assert.equal(all.filter(({ type }) => type === "chain.ended").length, 1);
      assert.equal(all.at(-1)?.type, "chain.ended");
      return all;
    },

    /** The calls that wait for approval. */
    approvals: async (conversation: string, status = "pending") =>
      (await questions(conversation, status)).filter((approval) => approval.kind === "execution"),
    /** The results that wait for a review. */
    reviews: async (conversation: string, status = "pending") =>
      (await questions(conversation, status)).filter((approval) => approval.kind === "result"),
    answer: (id: string, body: ApprovalAnswerBody) =>
      request<ApprovalView>("POST", `/v1/approvals/${id}`, body),
    grants: async (conversation: string) =>
      (await request<ListView<GrantView>>("GET", `/v1/grants?conversation=${conversation}`)).data,
    revoke: (id: string) => request<unknown>("DELETE", `/v1/grants/${id}`),

    variables: async (conversation: string, query = "") =>
      (
        await request<ListView<VariableView>>(
          "GET",
          `/v1/conversations/${conversation}/variables${query}`,
        )
      ).data,
    readVariable: (conversation: string, name: string, query = "") =>
      request<VariableValueView>("GET", `${variable(conversation, name)}${query}`),
    putVariable: (conversation: string, name: string, update: VariableUpdate) =>
      request<VariableValueView>("PUT", variable(conversation, name), update),
    deleteVariable: (conversation: string, name: string) =>
      request<unknown>("DELETE", variable(conversation, name)),
  };
}

/** An error of the API, with its status. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly error: ErrorBody["error"];

  constructor(status: number, error: ErrorBody["error"]) {
    super(`${status} ${error.code}: ${error.message}`);
    this.status = status;
    this.error = error;
  }
}

/** A tool group of the server, as requests name it. */
export function groupTool(group: string) {
  return {
    type: "mcp",
    server_label: group,
    server_url: `capstan://groups/${group}`,
  } as const;
}

/** Numbers from 1 on, without a gap or a repetition. */
export function assertNumbered(events: readonly RunEvent[]): void {
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
}

export function eventsOf<T extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: T,
): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** Returns the assistant's text, joined from the streamed deltas. */
export function spokenText(events: readonly RunEvent[]): string {
  const texts = new Set(
    eventsOf(events, "item.start")
      .filter(({ kind }) => kind === "text")
      .map(({ itemId }) => itemId),
  );
  return eventsOf(events, "item.end")
    .filter(({ itemId }) => texts.has(itemId))
    .map(({ text }) => text)
    .join("\n");
}

export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** Server-sent events of a response; comments are left out. */
export async function* readEventStream(response: Response): AsyncGenerator<ServerSentEvent> {
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  let rest = "";
  for await (const text of (response.body ?? assert.fail("no body")).pipeThrough(
    new TextDecoderStream(),
  )) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split("\n")
          .filter((line) => !line.startsWith(":"))
          .map(
            (line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? assert.fail(`not a field: ${line}`),
          ),
      );
      if ("data" in fields) yield fields as ServerSentEvent;
    }
  }
  assert.equal(rest, "", "the stream ended in the middle of an event");
}

const jsonHeaders = { "Content-Type": "application/json" };
