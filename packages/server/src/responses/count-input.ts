import { type Message, VariableSystem } from "@capstan/core";
import { applySwitches, offerOptions, readHistory, systemPromptOf } from "../runs/active/launch.ts";
import { readInheritedTurn } from "../runs/active/inherited-turn.ts";
import { deferDefinitions } from "../runs/active/deferred-tools.ts";
import { searchTools } from "../tool-search/search-tools.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import type { Services } from "../http/services.ts";
import { offeredServers } from "../http/tools/request-data.ts";
import type { CreateRequest } from "./request/parse-request.ts";
import { prepareResponse, type PreparedResponse, type ResponseCaller } from "./start-response.ts";

/**
 * Returns the number of tokens of the first request that a response would send to its model:
 * instructions, tools and the merged history. Images and files are not counted. Nothing is started
 * or stored.
 *
 * @throws RequestError
 */
export async function countInput(
  services: Services,
  caller: Omit<ResponseCaller, "mayApprove">,
  request: CreateRequest,
): Promise<number> {
  // No tool runs here, so the request is checked as if its caller had every right.
  const prepared = await prepareResponse(services, { ...caller, mayApprove: true }, request);
  const executor = services.createExecutor({
    variables: new VariableSystem(),
    principal: { id: caller.principal },
  });
  const { conversation: id } = request;
  const { store } = services.runs;
  if (id !== undefined) {
    const conversation = await store.getConversation({ owner: caller.principal, id });
    applySwitches(executor, conversation?.switches);
  }
  const { instructions = null, tools } = request;
  const given = {
    instructions,
    servers: offeredServers(tools),
    clientTools: tools.client,
    settings: {},
  };
  const stored = prepared.status === "run" ? prepared.run : given;
  // No tool runs, so the search never returns anything.
  executor.registerToolGroup(searchTools(() => Promise.resolve([])));
  const offered = deferDefinitions(offerOptions(executor, stored), {
    executor,
    request: stored,
    limits: services.limits,
  });
  const { definitions } = executor.offer(offered);
  const texts = [
    systemPromptOf(executor, stored, offered),
    ...(definitions.length === 0 ? [] : [JSON.stringify(definitions)]),
    ...(await messagesOf(services, prepared)).flatMap(textsOf),
  ];
  return executor.gate.countTokens(texts.filter((text) => text !== "").join("\n"));
}

async function messagesOf(
  { runs, history }: Services,
  prepared: PreparedResponse,
): Promise<readonly Message[]> {
  const { parent } = prepared;
  if (prepared.status === "answers") {
    const { id, owner } = prepared.parent;
    const options = { owner, parentId: id, adopts: false, history };
    return readHistory(runs.stores.of(id), options);
  }
  const { run, adopts } = prepared;
  if (run.parentId === null || parent === undefined) return [...run.context, ...run.inputMessages];
  const store = runs.stores.of(run.parentId);
  const { principal: owner, parentId } = run;
  const before = await readHistory(store, { owner, parentId, adopts, history: run.history });
  const open = adopts ? (await readInheritedTurn(store, parent, run)).messages : [];
  return [...before, ...run.context, ...open, ...outputsOf(run), ...run.inputMessages];
}

/**
 * The request's outputs of the parent's open calls. The model would read them in the counted turn.
 */
function outputsOf({ outputs }: RunRequest): readonly Message[] {
  return outputs.map(({ callId, output }) => ({
    role: "tool",
    tool_call_id: callId,
    name: "",
    content: output,
  }));
}

function textsOf(message: Message): readonly string[] {
  const { content } = message;
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return [...texts, ...calls.map(({ function: called }) => `${called.name} ${called.arguments}`)];
}
