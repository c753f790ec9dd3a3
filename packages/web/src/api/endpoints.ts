import type {
  ApprovalAnswerBody,
  ApprovalView,
  CallOutcomeBody,
  CallView,
  ConversationUpdate,
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
  RunView,
  RunWithEvents,
  ServerInfo,
  Switches,
  ToolGroupView,
  VariableUpdate,
  VariableValueView,
  VariableView,
} from "@capstan/contract";
import { requestJson, send } from "./request.ts";

const id = encodeURIComponent;

export const getServerInfo = () => requestJson<ServerInfo>("/v1/capstan");
export const listModels = () => requestJson<ListView<ModelView>>("/v1/models");
export const listToolGroups = () => requestJson<ListView<ToolGroupView>>("/v1/tools");

export function listConversations(after?: string): Promise<ListView<ConversationView>> {
  const page = after === undefined ? "" : `&after=${id(after)}`;
  return requestJson(`/v1/conversations?limit=50${page}`);
}

export const createConversation = (body: { readonly title: string; readonly switches: Switches }) =>
  requestJson<ConversationView>("/v1/conversations", { method: "POST", body });

export const getConversation = (conversation: string, signal?: AbortSignal) =>
  requestJson<ConversationView>(`/v1/conversations/${id(conversation)}`, signal ? { signal } : {});

export const updateConversation = (conversation: string, body: ConversationUpdate) =>
  requestJson<ConversationView>(`/v1/conversations/${id(conversation)}`, { method: "POST", body });

export async function deleteConversation(conversation: string, keepalive = false): Promise<void> {
  await send(`/v1/conversations/${id(conversation)}`, { method: "DELETE", keepalive });
}

/** All runs of a conversation, read page by page. */
export async function listRuns(
  conversation: string,
  signal?: AbortSignal,
): Promise<readonly RunWithEvents[]> {
  const runs: RunWithEvents[] = [];
  for (let after = ""; ;) {
    const page = await requestJson<ListView<RunWithEvents>>(
      `/v1/conversations/${id(conversation)}/runs?limit=100${after}`,
      signal ? { signal } : {},
    );
    runs.push(...page.data);
    if (!page.has_more || page.last_id === null) return runs;
    after = `&after=${id(page.last_id)}`;
  }
}

export const cancelRun = (run: string) =>
  requestJson<RunView>(`/v1/runs/${id(run)}/cancel`, { method: "POST", body: {} });

export const cancelCall = (run: string, call: string) =>
  requestJson<RunView>(`/v1/runs/${id(run)}/calls/${id(call)}/cancel`, {
    method: "POST",
    body: {},
  });

/** The ledger: what became of each call. */
export const listCalls = async (run: string) =>
  (await requestJson<ListView<CallView>>(`/v1/runs/${id(run)}/calls`)).data;

/** A person's word on a call of which nobody knows whether it happened. The first one counts. */
export const answerOutcome = (run: string, call: string, body: CallOutcomeBody) =>
  requestJson<CallView>(`/v1/runs/${id(run)}/calls/${id(call)}/outcome`, { method: "POST", body });

export const retryRun = (run: string, model: string) =>
  requestJson<RunView>(`/v1/runs/${id(run)}/retry`, { method: "POST", body: { model } });

export const answerApproval = (approval: string, body: ApprovalAnswerBody) =>
  requestJson<ApprovalView>(`/v1/approvals/${id(approval)}`, { method: "POST", body });

/** A result that waits for a person, with the piece of its text that begins there. */
export const readReview = (approval: string, start: number) =>
  requestJson<ResultApprovalView>(`/v1/approvals/${id(approval)}?start=${start}`);

/** What the model would get after an answer. Nothing is decided by it. */
export const previewReview = (approval: string, body: ReviewAnswerBody) =>
  requestJson<ReviewPreview>(`/v1/approvals/${id(approval)}/preview`, { method: "POST", body });

/** What holds in a conversation; without one, what holds in every one. */
export async function listGrants(conversation: string | null): Promise<readonly GrantView[]> {
  const query = conversation === null ? "" : `?conversation=${id(conversation)}`;
  const { data } = await requestJson<ListView<GrantView>>(`/v1/grants${query}`);
  return conversation === null ? data.filter(({ scope }) => scope === "always") : data;
}

export async function revokeGrant(grant: string): Promise<void> {
  await send(`/v1/grants/${id(grant)}`, { method: "DELETE" });
}

/** The person's own rules. */
export const listRules = async () =>
  (await requestJson<ListView<OverrideView>>("/v1/overrides")).data;

export const changeRule = (body: OverrideChange) =>
  requestJson<OverrideView | OverrideDeleted>("/v1/overrides", { method: "PUT", body });

export async function removeRule(rule: string): Promise<void> {
  await send(`/v1/overrides/${id(rule)}`, { method: "DELETE" });
}

export interface VariableFilter {
  readonly search: string;
  readonly type: string;
  readonly tag: string;
}

export function listVariables(
  conversation: string,
  filter: VariableFilter,
): Promise<ListView<VariableView>> {
  const query = new URLSearchParams();
  if (filter.search !== "") query.set("search", filter.search);
  if (filter.type !== "") query.set("type", filter.type);
  if (filter.tag !== "") query.set("tag", filter.tag);
  return requestJson(`/v1/conversations/${id(conversation)}/variables?${query.toString()}`);
}

const variablePath = (conversation: string, name: string) =>
  `/v1/conversations/${id(conversation)}/variables/${id(name)}`;

/** `length` characters of a variable from `start` on. */
export function readVariable(
  conversation: string,
  name: string,
  start: number,
  length: number,
): Promise<VariableValueView> {
  return requestJson(`${variablePath(conversation, name)}?start=${start}&length=${length}`);
}

export const writeVariable = (conversation: string, name: string, body: VariableUpdate) =>
  requestJson<VariableValueView>(variablePath(conversation, name), { method: "PUT", body });

export async function deleteVariable(conversation: string, name: string): Promise<void> {
  await send(variablePath(conversation, name), { method: "DELETE" });
}

/** What the page asks of the Responses API; the run's id comes back as the response's. */
export interface TurnRequest {
  readonly model: string;
  readonly input: string;
  readonly conversation: string;
  readonly groups: readonly string[];
}

export function createResponse(turn: TurnRequest): Promise<{ readonly id: string }> {
  const tools = turn.groups.map((group) => ({
    type: "mcp",
    server_label: group,
    server_url: `capstan://groups/${group}`,
  }));
  const body = {
    model: turn.model,
    input: turn.input,
    conversation: turn.conversation,
    background: true,
    approvals: "inline",
    tools,
  };
  return requestJson("/v1/responses", { method: "POST", body });
}
