import { newId, summaryRequest } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";
import { badRequest, isObject, missingParameter, RequestError } from "../http/errors.ts";
import type { Services } from "../http/services.ts";
import { itemChunks } from "./content-parts.ts";
import type { ResponseObject } from "./projection/wire.ts";
import { isResponse, readInputItems } from "./read-response.ts";
import { type InputItem, type ItemOf, parseInput, parseLongInput } from "./request/parse-input.ts";
import { type CreateRequest, parseCreateRequest } from "./request/parse-request.ts";
import { prepareResponse, type ResponseCaller, startPrepared } from "./start-response.ts";

/** A compaction whose summary a run is writing. */
export interface StartedCompaction {
  readonly run: RunRecord;
  /** The user's messages, which the output keeps. */
  readonly messages: readonly ItemOf<"message">[];
}

/**
 * Parses the body of `POST /v1/responses/compact` as a request without tools whose last message
 * asks for a summary.
 *
 * @throws RequestError
 */
export async function parseCompactRequest(body: unknown): Promise<CreateRequest> {
  const given: { readonly [name: string]: unknown } = isObject(body) ? body : {};
  const { model, input, instructions, previous_response_id: previous } = given;
  if (model == null || model === "") throw missingParameter("model");
  const items = (await parseLongInput(given)) ?? parseInput(input);
  const continues = previous != null && previous !== "";
  if (items.length === 0 && !continues) throw missingParameter("input");
  return parseCreateRequest(
    {
      model,
      instructions,
      previous_response_id: previous,
      input: summaryRequest,
      tool_choice: "none",
      store: false,
    },
    { input: [...items, ...parseInput(summaryRequest)] },
  );
}

/** Starts the run that writes the summary. It is not stored. @throws RequestError */
export async function startCompaction(
  services: Services,
  caller: ResponseCaller,
  request: CreateRequest,
): Promise<StartedCompaction> {
  const prepared = await prepareResponse(services, caller, request);
  if (prepared.status === "answers" || prepared.run.answers.length > 0)
    throw badRequest(
      "input",
      "Invalid 'input': a compaction cannot answer approval requests. Answer them with a response, and compact the history afterwards.",
    );
  const { parent, items } = prepared;
  const earlier = parent === undefined ? [] : await earlierMessages(services, parent);
  // The last message is the request for the summary.
  const messages = [...earlier, ...items.filter(isOfUser).slice(0, -1)];
  // An agent's tools are not needed.
  const summarising = { run: { ...prepared.run, servers: [] } };
  const run = await startPrepared(services, summarising, { isDurable: false });
  return { run, messages };
}

function isOfUser(item: InputItem): item is ItemOf<"message"> {
  return item.type === "message" && item.role === "user";
}

/** The user's messages of a run and its ancestors, oldest first. */
async function earlierMessages(
  { runs }: Services,
  parent: RunRecord,
): Promise<readonly ItemOf<"message">[]> {
  const store = runs.stores.of(parent.id);
  const ancestors = await store.ancestors({ owner: parent.owner, runId: parent.id });
  const found: ItemOf<"message">[] = [];
  for (const { run } of ancestors ?? []) {
    if (run.kind === "turn" && !isResponse(run)) continue;
    // They are new items, so they get new ids.
    for (const { id: _id, ...item } of await readInputItems(store, run))
      found.push(...parseInput([item]).filter(isOfUser));
  }
  return found;
}

/**
 * Yields the JSON of a compaction: the user's messages, then the sealed summary.
 *
 * @throws RequestError if the model wrote no summary
 */
export function compactionChunks(
  { sealer, runs }: Pick<Services, "sealer" | "runs">,
  { run, messages }: StartedCompaction,
  response: ResponseObject,
): AsyncGenerator<string> {
  const sealed = sealer.seal(run.owner, summaryOf(response));
  const { usage } = response;
  const item = { id: newId("cmp_"), type: "compaction", encrypted_content: sealed };
  const kept = messages.map((message) => ({ ...message, id: message.id ?? newId("msg_") }));
  return chunks(runs.stores.of(run.id), [...kept, item], {
    id: newId("resp_"),
    object: "response.compaction",
    created_at: Math.floor(run.createdAt / 1_000),
    usage,
  });
}

async function* chunks(
  store: Pick<Store, "streamBlob">,
  items: readonly object[],
  rest: object,
): AsyncGenerator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"output":[`;
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ",";
    yield* itemChunks(item, store);
  }
  yield "]}";
}

function summaryOf({ status, output, error }: ResponseObject): string {
  const text = output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("\n");
  if (status === "completed" && text.trim() !== "") return text;
  const why = error?.message ?? `the model's answer is ${status} and has ${text.length} characters`;
  throw new RequestError({
    status: 502,
    type: "server_error",
    code: "compaction_failed",
    message: `The model wrote no summary: ${why}. Repeat the request, or choose another model.`,
  });
}
