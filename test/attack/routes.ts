import { randomUUID } from "node:crypto";
import { type RouteRight, routeRights } from "@capstan/server";
import type { Api } from "../api.ts";
import { chatVariants, itemVariants } from "./odd-bodies.ts";

/** The objects of a user on the server, so that every route has a target. */
export interface Owned {
  /** A text that all of the user's objects contain. No other user may read it. */
  readonly secret: string;
  readonly conversation: string;
  /** A run that has ended, with a call. */
  readonly run: string;
  readonly call: string;
  /** A stored chat completion. */
  readonly completion: string;
  readonly file: string;
  /** A vector store with that file, and a batch with the file. */
  readonly vectorStore: string;
  readonly batch: string;
  /** A pending upload. */
  readonly upload: string;
  /** A run that waits for approval. */
  readonly waiting: string;
  readonly approval: string;
  readonly grant: string;
  readonly override: string;
  readonly agent: string;
  readonly assistant: string;
  readonly thread: string;
  /** A message of the thread. */
  readonly message: string;
  /** A run of the thread, which has ended, and its step. */
  readonly threadRun: string;
  readonly step: string;
  readonly script: string;
}

/** A request to a route. */
export interface RouteCase {
  readonly path?: (owned: Owned) => string;
  readonly query?: string;
  readonly body?: (owned: Owned) => object;
  /** More bodies for the fuzzer, with the fields that `body` does not have. */
  readonly variants?: (owned: Owned) => readonly object[];
  /**
   * The effect of another user's request: `absent` is the error of an id that does not exist, `own`
   * reads or writes that user's own data, `all` is the same for every user with the right.
   */
  readonly others: "absent" | "own" | "all";
  /** Every user's request is rejected with this status, because no key has the required right. */
  readonly refusal?: number;
  /**
   * Concurrent repeats with one `Idempotency-Key` may have different answers, because the request
   * changes nothing that is stored, or replaces what it created before.
   *
   * @default all have the same effect and the same answer
   */
  readonly repeats?: "again";
}

const ofConversation =
  (more = "") =>
  ({ conversation }: Owned) =>
    `/v1/conversations/${conversation}${more}`;
const ofRun =
  (more = "") =>
  ({ run }: Owned) =>
    `/v1/runs/${run}${more}`;
const ofResponse =
  (more = "") =>
  ({ run }: Owned) =>
    `/v1/responses/${run}${more}`;
const ofCompletion = ({ completion }: Owned) => `/v1/chat/completions/${completion}`;
const ofFile =
  (more = "") =>
  ({ file }: Owned) =>
    `/v1/files/${file}${more}`;
const ofStore =
  (more = "") =>
  ({ vectorStore }: Owned) =>
    `/v1/vector_stores/${vectorStore}${more}`;
const ofStoreFile =
  (more = "") =>
  ({ vectorStore, file }: Owned) =>
    `/v1/vector_stores/${vectorStore}/files/${file}${more}`;
const ofBatch =
  (more = "") =>
  ({ vectorStore, batch }: Owned) =>
    `/v1/vector_stores/${vectorStore}/file_batches/${batch}${more}`;
const ofUpload =
  (more: string) =>
  ({ upload }: Owned) =>
    `/v1/uploads/${upload}${more}`;
const newUpload = { purpose: "user_data", bytes: 1, mime_type: "text/plain" };
const ofVariable = ({ conversation }: Owned) => `/v1/conversations/${conversation}/variables/kept`;
const ofAgent = ({ agent }: Owned) => `/v1/agents/${agent}`;
const ofAssistant = ({ assistant }: Owned) => `/v1/assistants/${assistant}`;
const scripted = "custom/scripted";
const ofThread =
  (more = "") =>
  ({ thread }: Owned) =>
    `/v1/threads/${thread}${more}`;
const ofMessage = ({ thread, message }: Owned) => `/v1/threads/${thread}/messages/${message}`;
const ofThreadRun =
  (more = "") =>
  ({ thread, threadRun }: Owned) =>
    `/v1/threads/${thread}/runs/${threadRun}${more}`;
/** The input of the user's run. */
const ofItem = ({ conversation, run }: Owned) =>
  `/v1/conversations/${conversation}/items/msg_${run.replace("resp_", "")}_0_in`;
const ofScript =
  (more = "") =>
  ({ script }: Owned) =>
    `/v1/scripts/${encodeURIComponent(script)}${more}`;
const ofConnection =
  (more = "") =>
  () =>
    `/v1/connections/attacked${more}`;
const initialize = () => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
});
const source = 'def greet(name: str) -> str:\n    """Greet."""\n    return name\n';

/** A case for every route of the server's table; `missingCases` names routes without one. */
export const routeCases: { readonly [route: string]: RouteCase } = {
  "GET /healthz": { others: "all" },
  "GET /openapi.json": { others: "all" },
  "GET /docs": { others: "all" },
  // The servers under attack have no public address.
  "GET /connections/client.json": { others: "all", refusal: 404 },
  "POST /v1/pairings": { body: () => ({}), others: "all", refusal: 403 },
  "POST /v1/sessions": { body: () => ({ code: "guess" }), others: "all", refusal: 403 },
  "GET /v1/sessions": { others: "all", refusal: 403 },
  "DELETE /v1/sessions/:id": { others: "all", refusal: 403 },

  "GET /v1/capstan": { others: "all" },
  "GET /v1/models": { others: "all" },
  "GET /v1/models/:id{.+}": { path: () => "/v1/models/capstan/offline", others: "all" },
  "GET /v1/tools": { others: "all" },
  // Each user's stream has that user's own changes only.
  "GET /v1/events": { others: "own" },
  "GET /v1/usage": { others: "own" },
  "GET /v1/preferences": { others: "own" },
  "PUT /v1/preferences": {
    body: ({ secret }) => ({ instructions: secret, favorite_models: [secret] }),
    others: "own",
  },

  "GET /mcp": { others: "own" },
  "POST /mcp": { body: initialize, others: "own" },
  "DELETE /mcp": { others: "own" },
  "GET /mcp/groups/:group": { path: () => "/mcp/groups/vars", others: "own" },
  "POST /mcp/groups/:group": {
    path: () => "/mcp/groups/vars",
    body: initialize,
    others: "own",
  },
  "DELETE /mcp/groups/:group": { path: () => "/mcp/groups/vars", others: "own" },

  "POST /v1/responses": {
    body: ({ conversation, run, secret }) => ({
      input: [{ role: "user", content: secret }],
      previous_response_id: run,
      ...(conversation === "" && { conversation }),
      instructions: "Be brief.",
      tools: [{ type: "mcp", server_label: "vars", server_url: "capstan://groups/vars" }],
      metadata: { secret },
    }),
    variants: itemVariants,
    others: "absent",
  },
  "POST /v1/responses/input_tokens": {
    body: ({ run, secret }) => ({ input: secret, previous_response_id: run }),
    variants: itemVariants,
    repeats: "again",
    others: "absent",
  },
  "POST /v1/responses/compact": {
    body: ({ run, secret }) => ({
      model: "custom/scripted",
      input: [{ role: "user", content: secret }],
      previous_response_id: run,
    }),
    repeats: "again",
    others: "absent",
  },
  "GET /v1/responses/:id": { path: ofResponse(), others: "absent" },
  "DELETE /v1/responses/:id": { path: ofResponse(), others: "absent" },
  "POST /v1/responses/:id/cancel": { path: ofResponse("/cancel"), others: "absent" },
  "GET /v1/responses/:id/input_items": {
    path: ofResponse("/input_items"),
    query: "limit=5",
    others: "absent",
  },

  "POST /v1/chat/completions": {
    body: ({ secret }) => ({
      messages: [{ role: "user", content: secret }],
      tools: [{ type: "mcp", server_label: "vars", server_url: "capstan://groups/vars" }],
      metadata: { secret },
      store: true,
    }),
    variants: chatVariants,
    others: "all",
  },
  "GET /v1/chat/completions": { query: "limit=5", others: "own" },
  "POST /v1/chat/completions/:id": {
    path: ofCompletion,
    body: ({ secret }) => ({ metadata: { secret } }),
    others: "absent",
  },
  "GET /v1/chat/completions/:id/messages": {
    path: (owned) => `${ofCompletion(owned)}/messages`,
    others: "absent",
  },
  "GET /v1/chat/completions/:id": { path: ofCompletion, others: "absent" },
  "DELETE /v1/chat/completions/:id": { path: ofCompletion, others: "absent" },
  "POST /v1/embeddings": {
    body: ({ secret }) => ({ model: "custom/embedder", input: secret }),
    repeats: "again",
    others: "all",
  },

  "GET /v1/runs": { query: "limit=5", others: "own" },
  "GET /v1/runs/:id": { path: ofRun(), others: "absent" },
  "GET /v1/runs/:id/events": {
    path: ofRun("/events"),
    query: "starting_after=0",
    others: "absent",
  },
  "GET /v1/runs/:id/calls": { path: ofRun("/calls"), others: "absent" },
  "GET /v1/runs/:id/approvals": { path: ofRun("/approvals"), others: "absent" },
  "POST /v1/runs/:id/submit_tool_outputs": {
    path: ofRun("/submit_tool_outputs"),
    body: ({ call, secret }) => ({ tool_outputs: [{ tool_call_id: call, output: secret }] }),
    others: "absent",
  },
  "POST /v1/runs/:id/cancel": {
    path: ({ waiting }) => `/v1/runs/${waiting}/cancel`,
    others: "absent",
  },
  "POST /v1/runs/:id/retry": { path: ofRun("/retry"), body: () => ({}), others: "absent" },
  "POST /v1/runs/:id/calls/:callId/cancel": {
    path: ({ run, call }) => `/v1/runs/${run}/calls/${call}/cancel`,
    others: "absent",
  },
  "POST /v1/runs/:id/calls/:callId/outcome": {
    path: ({ run, call }) => `/v1/runs/${run}/calls/${call}/outcome`,
    body: () => ({ outcome: "did_not_happen", note: "seen" }),
    others: "absent",
  },

  "GET /v1/conversations": { query: "limit=5", others: "own" },
  "GET /v1/conversations/search": { query: "query=secret", others: "own" },
  "POST /v1/conversations": {
    body: ({ secret }) => ({
      title: secret,
      metadata: { k: secret },
      switches: { groups: { vars: true } },
    }),
    others: "own",
  },
  "GET /v1/conversations/:id": { path: ofConversation(), others: "absent" },
  "POST /v1/conversations/:id": {
    path: ofConversation(),
    body: ({ secret }) => ({ title: secret }),
    others: "absent",
  },
  "DELETE /v1/conversations/:id": { path: ofConversation(), others: "absent" },
  "GET /v1/conversations/:id/runs": {
    path: ofConversation("/runs"),
    query: "limit=3",
    others: "absent",
  },
  "GET /v1/conversations/:id/items": {
    path: ofConversation("/items"),
    query: "limit=3&order=asc",
    others: "absent",
  },
  "POST /v1/conversations/:id/items": {
    path: ofConversation("/items"),
    body: ({ secret }) => ({ items: [{ role: "user", content: secret }] }),
    others: "absent",
  },
  "GET /v1/conversations/:id/items/:itemId": { path: ofItem, others: "absent" },
  "DELETE /v1/conversations/:id/items/:itemId": { path: ofItem, others: "absent" },
  "POST /v1/conversations/:id/share": {
    path: ofConversation("/share"),
    // Each answer has a new token, which replaces the link before it.
    repeats: "again",
    body: () => ({ include_calls: true }),
    others: "absent",
  },
  "GET /v1/conversations/:id/share": { path: ofConversation("/share"), others: "absent" },
  "DELETE /v1/conversations/:id/share": { path: ofConversation("/share"), others: "absent" },
  "GET /v1/shares": { others: "own" },
  "GET /v1/shared": { others: "all", refusal: 404 },
  "GET /v1/conversations/:id/variables": {
    path: ofConversation("/variables"),
    query: "search=k",
    others: "absent",
  },
  "GET /v1/conversations/:id/variables/:name": {
    path: ofVariable,
    query: "start=1",
    others: "absent",
  },
  "PUT /v1/conversations/:id/variables/:name": {
    path: ofVariable,
    body: ({ secret }) => ({ text: secret, desc: "d", tags: ["t"], keep: true }),
    // The value is the same; only the time of the change differs.
    repeats: "again",
    others: "absent",
  },
  "DELETE /v1/conversations/:id/variables/:name": { path: ofVariable, others: "absent" },

  "GET /v1/approvals": { query: "status=pending", others: "own" },
  "GET /v1/approvals/:id": {
    path: ({ approval }) => `/v1/approvals/${approval}`,
    others: "absent",
  },
  "POST /v1/approvals/:id": {
    path: ({ approval }) => `/v1/approvals/${approval}`,
    body: () => ({ decision: "refuse", reason: "no" }),
    others: "absent",
  },
  "POST /v1/approvals/:id/preview": {
    path: ({ approval }) => `/v1/approvals/${approval}/preview`,
    body: () => ({ decision: "redact", words: ["a"] }),
    repeats: "again",
    others: "absent",
  },
  "GET /v1/grants": { others: "own" },
  "DELETE /v1/grants/:id": { path: ({ grant }) => `/v1/grants/${grant}`, others: "absent" },
  "GET /v1/files": { others: "own" },
  // The attacks send JSON, which this route does not accept. Its forms have tests of their own.
  "POST /v1/files": { body: () => ({}), others: "all", refusal: 415 },
  "GET /v1/files/:id": { path: ofFile(), others: "absent" },
  "GET /v1/files/:id/content": { path: ofFile("/content"), others: "absent" },
  "GET /v1/containers/:id/files/:file/content": {
    path: ({ run, file }) =>
      `/v1/containers/${run.replace("resp_", "cntr_")}/files/${file}/content`,
    others: "absent",
  },
  "POST /v1/files/:id/link": { path: ofFile("/link"), repeats: "again", others: "absent" },
  "GET /v1/files/:id/download": { path: ofFile("/download"), others: "all", refusal: 403 },
  "DELETE /v1/files/:id": { path: ofFile(), others: "absent" },
  "GET /v1/vector_stores": { query: "limit=5", others: "own" },
  "POST /v1/vector_stores": {
    body: ({ secret }) => ({ name: secret, metadata: { secret } }),
    others: "own",
  },
  "GET /v1/vector_stores/:id": { path: ofStore(), others: "absent" },
  "POST /v1/vector_stores/:id": {
    path: ofStore(),
    body: ({ secret }) => ({ name: secret }),
    others: "absent",
  },
  "DELETE /v1/vector_stores/:id": { path: ofStore(), others: "absent" },
  "POST /v1/vector_stores/:id/search": {
    path: ofStore("/search"),
    body: ({ secret }) => ({
      query: secret,
      filters: { type: "and", filters: [{ type: "ne", key: "a", value: 1 }] },
      ranking_options: { score_threshold: 0 },
    }),
    repeats: "again",
    others: "absent",
  },
  "GET /v1/vector_stores/:id/files": {
    path: ofStore("/files"),
    query: "filter=completed",
    others: "absent",
  },
  "POST /v1/vector_stores/:id/files": {
    path: ofStore("/files"),
    body: ({ file, secret }) => ({ file_id: file, attributes: { secret } }),
    others: "absent",
  },
  "GET /v1/vector_stores/:id/files/:file": { path: ofStoreFile(), others: "absent" },
  "POST /v1/vector_stores/:id/files/:file": {
    path: ofStoreFile(),
    body: ({ secret }) => ({ attributes: { secret } }),
    others: "absent",
  },
  "DELETE /v1/vector_stores/:id/files/:file": { path: ofStoreFile(), others: "absent" },
  "GET /v1/vector_stores/:id/files/:file/content": {
    path: ofStoreFile("/content"),
    others: "absent",
  },
  "POST /v1/vector_stores/:id/file_batches": {
    path: ofStore("/file_batches"),
    body: ({ file }) => ({ files: [{ file_id: file }] }),
    others: "absent",
  },
  "GET /v1/vector_stores/:id/file_batches/:batch": { path: ofBatch(), others: "absent" },
  "POST /v1/vector_stores/:id/file_batches/:batch/cancel": {
    path: ofBatch("/cancel"),
    body: () => ({}),
    others: "absent",
  },
  "GET /v1/vector_stores/:id/file_batches/:batch/files": {
    path: ofBatch("/files"),
    others: "absent",
  },
  "POST /v1/uploads": { body: () => ({ ...newUpload, filename: "a.txt" }), others: "own" },
  "POST /v1/uploads/:id/parts": { path: ofUpload("/parts"), body: () => ({}), others: "absent" },
  "POST /v1/uploads/:id/complete": {
    path: ofUpload("/complete"),
    body: () => ({ part_ids: ["part_x"] }),
    others: "absent",
  },
  "POST /v1/uploads/:id/cancel": { path: ofUpload("/cancel"), body: () => ({}), others: "absent" },

  "GET /v1/overrides": { others: "own" },
  "GET /v1/agents": { others: "own" },
  "POST /v1/agents": {
    body: ({ secret }) => ({ name: "made-by-attack", title: secret }),
    others: "own",
  },
  "GET /v1/agents/:name": { path: ofAgent, others: "absent" },
  "PUT /v1/agents/:name": {
    path: ofAgent,
    body: ({ secret }) => ({ title: secret }),
    others: "absent",
  },
  "DELETE /v1/agents/:name": { path: ofAgent, others: "absent" },
  "GET /v1/assistants": { query: "limit=5", others: "own" },
  "POST /v1/assistants": {
    body: ({ secret }) => ({ model: scripted, name: secret, metadata: { secret } }),
    others: "own",
  },
  "GET /v1/assistants/:id": { path: ofAssistant, others: "absent" },
  "POST /v1/assistants/:id": {
    path: ofAssistant,
    body: ({ secret }) => ({ description: secret }),
    others: "absent",
  },
  "DELETE /v1/assistants/:id": { path: ofAssistant, others: "absent" },
  "POST /v1/threads": {
    body: ({ secret }) => ({
      messages: [{ role: "user", content: secret }],
      metadata: { secret },
    }),
    others: "own",
  },
  "GET /v1/threads/:id": { path: ofThread(), others: "absent" },
  "POST /v1/threads/:id": {
    path: ofThread(),
    body: ({ secret }) => ({ metadata: { secret } }),
    others: "absent",
  },
  "DELETE /v1/threads/:id": { path: ofThread(), others: "absent" },
  "POST /v1/threads/:id/fork": { path: ofThread("/fork"), body: () => ({}), others: "absent" },
  "POST /v1/threads/:id/copy_to/:target": {
    path: ({ thread }) => `/v1/threads/${thread}/copy_to/${thread}`,
    body: () => ({}),
    others: "absent",
  },
  "POST /v1/threads/runs": {
    body: ({ assistant, secret }) => ({
      assistant_id: assistant,
      thread: { messages: [{ role: "user", content: secret }] },
    }),
    others: "absent",
  },
  "GET /v1/threads/:id/runs": { path: ofThread("/runs"), query: "limit=5", others: "absent" },
  "POST /v1/threads/:id/runs": {
    path: ofThread("/runs"),
    body: ({ assistant, secret }) => ({
      assistant_id: assistant,
      additional_messages: [{ role: "user", content: secret }],
    }),
    others: "absent",
  },
  "GET /v1/threads/:id/runs/:runId": { path: ofThreadRun(), others: "absent" },
  "POST /v1/threads/:id/runs/:runId": {
    path: ofThreadRun(),
    body: ({ secret }) => ({ metadata: { secret } }),
    others: "absent",
  },
  "POST /v1/threads/:id/runs/:runId/cancel": {
    path: ofThreadRun("/cancel"),
    body: () => ({}),
    others: "absent",
  },
  "POST /v1/threads/:id/runs/:runId/submit_tool_outputs": {
    path: ofThreadRun("/submit_tool_outputs"),
    body: ({ secret }) => ({ tool_outputs: [{ tool_call_id: "call_1", output: secret }] }),
    others: "absent",
  },
  "GET /v1/threads/:id/runs/:runId/steps": { path: ofThreadRun("/steps"), others: "absent" },
  "GET /v1/threads/:id/runs/:runId/steps/:stepId": {
    path: (owned) => `${ofThreadRun("/steps")(owned)}/${owned.step}`,
    others: "absent",
  },
  "GET /v1/threads/:id/messages": {
    path: ofThread("/messages"),
    query: "limit=5&order=asc",
    others: "absent",
  },
  "POST /v1/threads/:id/messages": {
    path: ofThread("/messages"),
    body: ({ secret }) => ({ role: "user", content: secret }),
    others: "absent",
  },
  "GET /v1/threads/:id/messages/:messageId": { path: ofMessage, others: "absent" },
  "POST /v1/threads/:id/messages/:messageId": {
    path: ofMessage,
    body: ({ secret }) => ({ metadata: { secret } }),
    others: "absent",
  },
  "DELETE /v1/threads/:id/messages/:messageId": { path: ofMessage, others: "absent" },
  "PUT /v1/overrides": {
    body: ({ secret }) => ({ tool: "vars.*", execution: "ask-always", reason: secret }),
    others: "own",
  },
  "DELETE /v1/overrides/:id": {
    path: ({ override }) => `/v1/overrides/${encodeURIComponent(override)}`,
    others: "absent",
  },

  "GET /v1/providers": { others: "all" },
  "PUT /v1/providers/:id": {
    path: () => "/v1/providers/openai",
    body: () => ({ key: "x" }),
    repeats: "again",
    others: "all",
  },
  "DELETE /v1/providers/:id": { path: () => "/v1/providers/openai", others: "all" },

  "GET /v1/connections": { others: "all" },
  "POST /v1/connections": {
    body: () => ({ name: "attacked", url: "http://127.0.0.1:1/mcp" }),
    // The state of the new connection can change between two answers.
    repeats: "again",
    others: "all",
  },
  "POST /v1/connections/sign_in": {
    body: () => ({ state: "attacked.guess", code: "guess" }),
    repeats: "again",
    others: "all",
  },
  "POST /v1/connections/rotate_key": { body: () => ({}), repeats: "again", others: "all" },
  "GET /v1/connections/:name": { path: ofConnection(), others: "all" },
  "PATCH /v1/connections/:name": {
    path: ofConnection(),
    body: () => ({ enabled: true }),
    repeats: "again",
    others: "all",
  },
  "DELETE /v1/connections/:name": { path: ofConnection(), others: "all" },
  "POST /v1/connections/:name/check": {
    path: ofConnection("/check"),
    body: () => ({}),
    repeats: "again",
    others: "all",
  },
  "POST /v1/connections/:name/accept": {
    path: ofConnection("/accept"),
    body: () => ({ digest: "0" }),
    others: "all",
  },
  "PUT /v1/connections/:name/credential": {
    path: ofConnection("/credential"),
    body: ({ secret }) => ({ type: "bearer", token: secret }),
    repeats: "again",
    others: "all",
  },
  "DELETE /v1/connections/:name/credential": {
    path: ofConnection("/credential"),
    others: "absent",
  },
  "POST /v1/connections/:name/sign_in": {
    path: ofConnection("/sign_in"),
    body: () => ({ redirect_uri: "http://127.0.0.1:1/callback" }),
    repeats: "again",
    others: "all",
  },

  "GET /v1/scripts": { others: "all" },
  "POST /v1/scripts": { body: () => ({ name: "made.py" }), others: "all" },
  "GET /v1/scripts/events": { others: "all" },
  "POST /v1/scripts/check": {
    body: () => ({ name: "greet.py", source }),
    repeats: "again",
    others: "all",
  },
  "GET /v1/scripts/environment": { others: "all" },
  "PUT /v1/scripts/environment/:name": {
    path: () => "/v1/scripts/environment/ATTACK_VALUE",
    body: () => ({ value: "x" }),
    // It states the whole value, and the answer has the time.
    repeats: "again",
    others: "all",
  },
  "DELETE /v1/scripts/environment/:name": {
    path: () => "/v1/scripts/environment/ATTACK_VALUE",
    others: "all",
  },
  "GET /v1/scripts/:id": { path: ofScript(), others: "all" },
  "PUT /v1/scripts/:id": {
    path: ofScript(),
    body: () => ({ source, based_on: "0" }),
    others: "all",
  },
  "DELETE /v1/scripts/:id": { path: ofScript(), others: "all" },
  "GET /v1/scripts/:id/files": { path: ofScript("/files"), others: "all" },
  "POST /v1/scripts/:id/restore": { path: ofScript("/restore"), others: "all" },
  "POST /v1/scripts/:id/approve": {
    path: ofScript("/approve"),
    body: () => ({ content_hash: "0" }),
    others: "all",
  },
  "POST /v1/scripts/:id/revoke": { path: ofScript("/revoke"), others: "all" },
  "GET /v1/scripts/:id/calls": { path: ofScript("/calls"), query: "limit=2", others: "all" },
  "POST /v1/scripts/:id/calls": {
    path: ofScript("/calls"),
    body: () => ({ tool: "greet", arguments: { name: "x" } }),
    others: "all",
  },
};

export interface Route extends RouteRight {
  readonly name: string;
  readonly case: RouteCase;
}

export const routes: readonly Route[] = routeRights.flatMap((route) => {
  const name = `${route.method} ${route.path}`;
  const found = routeCases[name];
  return found === undefined ? [] : [{ ...route, name, case: found }];
});

/**
 * The routes that need more or less than the right `ask`. They are stated here again, because the
 * attacks read the rights from the server's table.
 */
const otherRights: readonly (readonly [names: RegExp, needs: RouteRight["needs"]])[] = [
  [/ \/(?:healthz|openapi\.json|docs|connections\/client\.json)$/, "none"],
  [/^POST \/v1\/sessions$/, "none"],
  [/^GET \/v1\/files\/:id\/download$/, "none"],
  [/^GET \/v1\/shared$/, "none"],
  [/^POST \/v1\/conversations\/:id\/share$/, "approve"],
  [/^POST \/v1\/pairings$/, "terminal"],
  [/^(?:GET|DELETE) \/v1\/sessions/, "terminal"],
  [/^POST \/v1\/approvals\/:id\/preview$/, "approve"],
  [/ \/v1\/(?:scripts|connections|providers)/, "admin"],
];

/** Returns routes of the server without a case, cases without a route, and wrong rights. */
export function missingCases(): readonly string[] {
  const names = new Set(routeRights.map(({ method, path }) => `${method} ${path}`));
  const missing = [
    ...[...names].filter((name) => !Object.hasOwn(routeCases, name)),
    ...Object.keys(routeCases).filter((name) => !names.has(name)),
  ].map((name) => `${name}: is in test/attack/routes.ts or in the server's table, and not in both`);
  const wrong = routeRights.flatMap(({ method, path, needs }) => {
    const name = `${method} ${path}`;
    const must = otherRights.find(([pattern]) => pattern.test(name))?.[1] ?? "ask";
    return needs === must ? [] : [`${name}: needs the right "${needs}", and must need "${must}"`];
  });
  return [...missing, ...wrong];
}

/** The path of a request to a route. */
export function pathOf(route: Route, owned: Owned): string {
  const path = route.case.path?.(owned) ?? route.path;
  return route.case.query === undefined ? path : `${path}?${route.case.query}`;
}

/**
 * Creates every kind of object for a user. Deletes existing rules and grants first, because they
 * decide which calls need approval.
 */
export async function makeOwned(api: Api, secret: string): Promise<Owned> {
  for (const kind of ["overrides", "grants", "agents"]) {
    const { data } = await api.request<{ data: { id: string }[] }>("GET", `/v1/${kind}`);
    for (const { id } of data) await api.request("DELETE", `/v1/${kind}/${encodeURIComponent(id)}`);
  }
  const { id: conversation } = await api.createConversation();
  await api.request("POST", `/v1/conversations/${conversation}`, { title: secret });
  const call = (value: string) => `call WriteVar ${JSON.stringify({ name: "made", value })}`;
  const groups = ["vars"];
  const run = await api.startTurn({ conversation, input: call(secret), groups });
  const [question] = await approvalsOf(api, run, conversation);
  await api.answer(question, { decision: "allow", scope: "session", covers: { type: "tool" } });
  const ended = await api.finishedEvents(run);
  const made = ended.find((event) => event.type === "call.proposed");
  await api.putVariable(conversation, "kept", { text: secret });
  const { id: other } = await api.createConversation();
  const waiting = await api.startTurn({ conversation: other, input: call(secret), groups });
  const [approval] = await approvalsOf(api, waiting, other);
  const { id: override } = await api.request<{ id: string }>("PUT", "/v1/overrides", {
    tool: "basic.Text",
    when: { text: secret },
    execution: "ask-always",
    reason: secret,
  });
  const { id: agent } = await api.request<{ id: string }>("POST", "/v1/agents", {
    name: `agent-${randomUUID().slice(0, 8)}`,
    instructions: secret,
  });
  const { id: assistant } = await api.request<{ id: string }>("POST", "/v1/assistants", {
    model: scripted,
    instructions: secret,
  });
  const ran = await api.request<{ id: string; thread_id: string }>("POST", "/v1/threads/runs", {
    assistant_id: assistant,
    thread: { messages: [{ role: "user", content: secret }], metadata: { secret } },
  });
  await api.finishedEvents(ran.id.replace("run_", "resp_"));
  const firstOf = async (path: string) => {
    const list = await api.request<{ data: { id: string }[] }>("GET", `${path}?order=asc`);
    return list.data[0]?.id ?? "none";
  };
  const [grant] = await api.grants(conversation);
  const { id: completion } = await api.request<{ id: string }>("POST", "/v1/chat/completions", {
    messages: [{ role: "user", content: secret }],
    store: true,
  });
  const { id: upload } = await api.request<{ id: string }>("POST", "/v1/uploads", {
    ...newUpload,
    filename: `${secret}.txt`,
  });
  const file = await api.storeFile(`${secret}.txt`, secret);
  const { id: vectorStore } = await api.request<{ id: string }>("POST", "/v1/vector_stores", {
    name: secret,
  });
  const { id: batch } = await api.request<{ id: string }>(
    "POST",
    `/v1/vector_stores/${vectorStore}/file_batches`,
    { file_ids: [file] },
  );
  if (made?.type !== "call.proposed" || grant === undefined)
    throw new Error("The targets of the attacks could not be created.");
  return {
    secret,
    conversation,
    run,
    call: made.callId,
    completion,
    file,
    vectorStore,
    batch,
    upload,
    waiting,
    approval,
    grant: grant.id,
    override,
    agent,
    assistant,
    thread: ran.thread_id,
    message: await firstOf(`/v1/threads/${ran.thread_id}/messages`),
    threadRun: ran.id,
    step: await firstOf(`/v1/threads/${ran.thread_id}/runs/${ran.id}/steps`),
    script: "none",
  };
}

async function approvalsOf(api: Api, run: string, conversation: string): Promise<[string]> {
  await api.firstEvent(run, "approval.requested");
  const [question] = await api.approvals(conversation);
  if (question === undefined) throw new Error(`The run ${run} asks nothing.`);
  return [question.id];
}
