import type {
  CorruptView,
  ExecutionAnswerBody,
  ExecutionApprovalView,
  GrantView,
  RunEvent,
  VariableUpdate,
} from "@capstan/contract";
import type { IncomingMessage, ServerResponse } from "node:http";
import { infoFor, modelsFor, toolGroups } from "./mock-catalog.ts";
import { play } from "./mock-scenarios.ts";
import type { MockServer } from "./mock-server.ts";
import {
  addConversation,
  addRun,
  putVariable,
  withEvents,
  type MockApproval,
  type MockRun,
} from "./mock-store.ts";
import { MockTurn } from "./mock-turn.ts";

interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

const list = (data: readonly unknown[]): Answer => ({
  body: { object: "list", data, has_more: false, first_id: null, last_id: null },
});
const problem = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: "", code } },
});
const missing = problem(404, "not_found", "There is no such thing.");

/** A request from the page. */
export async function answerApi(
  mock: MockServer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  mock.requests.push(`${request.method} ${url.pathname}${url.search} ${text}`.trim());
  const body = (text === "" ? {} : JSON.parse(text)) as { [key: string]: unknown };

  if (
    url.pathname !== "/healthz" &&
    mock.apiKey !== null &&
    request.headers.authorization !== `Bearer ${mock.apiKey}`
  ) {
    return reply(response, problem(401, "invalid_api_key", "This server needs an API key."));
  }
  const parts = url.pathname.split("/").slice(1).map(decodeURIComponent);
  if (parts[1] === "runs" && parts[3] === "events")
    return streamEvents(mock, parts[2] ?? "", url, request, response);
  reply(response, route(mock, request.method ?? "GET", parts, url, body));
}

function reply(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}

function route(
  mock: MockServer,
  method: string,
  parts: readonly string[],
  url: URL,
  body: { [key: string]: unknown },
): Answer {
  const [, kind, id = "", sub, name = ""] = parts;
  switch (kind) {
    case undefined:
      return { body: { status: "ok" } };
    case "capstan":
      return { body: infoFor(mock) };
    case "models":
      return list(modelsFor(mock));
    case "agents":
      return list([]);
    case "preferences":
      return {
        body: {
          object: "preferences",
          switches: { groups: {}, tools: {} },
          favorite_models: [],
          instructions: "",
        },
      };
    case "tools":
      return list(toolGroups);
    case "responses":
      return respond(mock, body);
    case "conversations":
      return sub === "variables"
        ? variables(mock, method, id, name, url, body)
        : conversations(mock, method, [id, sub], body, url);
    case "runs":
      return id === "" ? list([]) : runs(mock, id, sub, name);
    case "approvals":
      return id === "" ? pendingApprovals(mock) : answer(mock, id, body as never);
    case "overrides":
      return list([]);
    case "grants":
      if (method === "DELETE") {
        mock.store.damaged.grants = mock.store.damaged.grants.filter((other) => other !== id);
        return mock.store.grants.delete(id) || id === "damaged"
          ? { body: { id, object: "grant.deleted", deleted: true } }
          : missing;
      }
      return list([...mock.store.grants.values(), ...damaged(mock.store.damaged.grants)]);
    default:
      return missing;
  }
}

function respond(mock: MockServer, body: { [key: string]: unknown }): Answer {
  const place = body["conversation"] as string | { id: string; after?: string | null };
  const { id, after } = typeof place === "string" ? { id: place, after: undefined } : place;
  const conversation = mock.store.conversations.get(id);
  if (conversation === undefined) return missing;
  const input = String(body["input"]);
  if (input === "refuse me")
    return problem(409, "conversation_busy", "Another turn of this conversation is running.");
  const run = addRun(mock.store, conversation.id, String(body["model"]), [
    { type: "message", role: "user", content: input },
  ]);
  if (after !== undefined) run.view.previous = after;
  start(mock, run, input);
  return { body: { id: run.view.id, object: "response", status: "queued" } };
}

function start(mock: MockServer, run: MockRun, input: string): void {
  const turn = new MockTurn(mock.store, run);
  play(turn, input).catch(() =>
    turn.end("aborted", { code: "aborted", message: "The turn was stopped." }),
  );
}

function damaged(ids: readonly string[]): readonly CorruptView[] {
  const error = { code: "entry_corrupt", message: "Restore the last backup." } as const;
  return ids.map((id) => ({ object: "corrupt", id, error }));
}

function conversations(
  mock: MockServer,
  method: string,
  [id, sub]: readonly [string, string | undefined],
  body: { [key: string]: unknown },
  { searchParams }: URL,
): Answer {
  const { store } = mock;
  if (id === "") {
    if (method === "POST")
      return {
        body: Object.assign(addConversation(store, body["switches"] ?? {}), {
          title: body["title"] ?? "",
        }),
      };
    const state = searchParams.get("state");
    const sorted = [...store.conversations.values()]
      .filter((conversation) => state === null || conversation.state === state)
      .toSorted((a, b) => b.updated_at - a.updated_at);
    return list([...sorted, ...(state === "open" ? damaged(store.damaged.conversations) : [])]);
  }
  const conversation = store.conversations.get(id);
  if (conversation === undefined) return missing;
  if (sub === "runs") {
    return list(
      [...store.runs.values()].filter((run) => run.view.conversation === id).map(withEvents),
    );
  }
  if (method === "DELETE") {
    store.conversations.delete(id);
    return { body: { id, object: "conversation.deleted", deleted: true } };
  }
  if (method === "POST") Object.assign(conversation, body);
  return { body: conversation };
}

function variables(
  mock: MockServer,
  method: string,
  id: string,
  name: string,
  url: URL,
  body: VariableUpdate,
): Answer {
  const all = mock.store.variables.get(id);
  if (all === undefined) return missing;
  if (name === "" && mock.store.damaged.variables.length > 0)
    return list(damaged(mock.store.damaged.variables));
  if (name === "") {
    const search = url.searchParams.get("search") ?? "";
    const type = url.searchParams.get("type") ?? "";
    const found = [...all.values()].filter(
      (one) => one.name.includes(search) && (type === "" || one.type === type),
    );
    return list(found.map(({ text: _text, ...view }) => view));
  }
  if (name.includes("}}") && method === "PUT") {
    return problem(
      400,
      "invalid_name",
      "A variable's name cannot hold `}}`: a reference to it could not be read.",
    );
  }
  if (method === "PUT") {
    const before = all.get(name) ?? putVariable(mock.store, id, name, "", { type: "USER_ADD" });
    const { text = before.text, ...more } = body;
    return {
      body: { ...putVariable(mock.store, id, name, text, { ...before, ...more }), start: 0 },
    };
  }
  const variable = all.get(name);
  if (variable === undefined) return missing;
  if (method === "DELETE") {
    all.delete(name);
    return { body: { id: name, object: "variable.deleted", deleted: true } };
  }
  const start = Number(url.searchParams.get("start") ?? 0);
  const length = Number(url.searchParams.get("length") ?? 8000);
  return { body: { ...variable, text: variable.text.slice(start, start + length), start } };
}

function runs(mock: MockServer, id: string, sub: string | undefined, callId: string): Answer {
  const run = mock.store.runs.get(id);
  if (run === undefined) return missing;
  if (sub === "cancel") run.stop.abort();
  if (sub === "calls") run.callStops.get(callId)?.abort();
  if (sub === "retry") {
    const again = addRun(mock.store, run.view.conversation ?? "", run.view.model, run.view.input);
    again.view.previous = run.view.previous;
    start(mock, again, "This time it worked.");
    return { body: again.view };
  }
  return { body: run.view };
}

function pendingApprovals({ store }: MockServer): Answer {
  const pending = [...store.approvals.values()].filter(({ status }) => status === "pending");
  return list(pending.map(approvalView));
}

function approvalView({ request, run, status }: MockApproval): ExecutionApprovalView {
  const { id, conversation } = run.view;
  return { ...request, object: "approval", kind: "execution", run: id, conversation, status };
}

function answer(mock: MockServer, id: string, body: ExecutionAnswerBody): Answer {
  const approval = mock.store.approvals.get(id);
  if (approval === undefined) return missing;
  if (approval.status === "pending") {
    if (body.arguments !== undefined && "bad" in body.arguments) {
      return problem(
        400,
        "invalid_arguments",
        "`bad` is not an argument of this tool; it has `url` and `format`.",
      );
    }
    approval.status = body.decision === "allow" ? "allowed" : "refused";
    if (body.scope === "session") keepGrant(mock, approval);
    approval.answered(body);
  }
  return { body: approvalView(approval) };
}

function keepGrant(mock: MockServer, { request, run }: MockApproval): void {
  const grant: GrantView = {
    id: `grant_${mock.store.nextId++}`,
    object: "grant",
    conversation: run.view.conversation,
    toolId: request.toolId,
    verdict: "allow",
    scope: "session",
    definitionDigest: request.definitionDigest,
    principalId: "local",
    match: { type: "key", key: request.grant?.key ?? "" },
    title: request.grant?.title ?? "",
    args: request.args,
    grantedBy: "local",
    createdAt: Date.now(),
  };
  mock.store.grants.set(grant.id, grant);
}

function streamEvents(
  mock: MockServer,
  id: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const run = mock.store.runs.get(id);
  if (run === undefined) return reply(response, missing);
  const after = Number(
    url.searchParams.get("starting_after") ?? request.headers["last-event-id"] ?? 0,
  );
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.flushHeaders();
  mock.streams.add(response);
  const write = (event: RunEvent) => {
    response.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (event.type === "chain.ended") response.end();
  };
  for (const event of run.log) if (event.seq > after) write(event);
  run.readers.add(write);
  response.on("close", () => {
    run.readers.delete(write);
    mock.streams.delete(response);
  });
}
