import type { Context } from "hono";
import { followEvents, requestOf, type RunRecord, type Store } from "@capstan/store";
import type { JsonObject, JsonValue } from "@capstan/core";
import type { ListView, RunEvent } from "@capstan/contract";
import { listView } from "../http/records.ts";
import { encodeInChunks, endOfStream, nextTurn } from "../http/streams.ts";
import type { OutputItem, ResponseObject } from "./projection/wire.ts";
import { oneCallModelId } from "../runs/active/run-models.ts";
import {
  createProjection,
  type Projection,
  type ProjectionOptions,
} from "./projection/project-events.ts";
import { withImages } from "./projection/stored-images.ts";
import { watchOutput } from "../runs/produced-output.ts";
import { parseCreateRequest } from "./request/parse-request.ts";
import { upstreamFailure } from "../http/chain-failure.ts";
import { type InputItem, parseInput } from "./request/parse-input.ts";
import { receiptSealer } from "./projection/call-receipts.ts";
import { customForms, type ToolForms } from "./client-tools/tool-form.ts";
import { withReferences } from "./content-parts.ts";
import { RequestError } from "../http/errors.ts";
import type { Sealer } from "../http/sealing.ts";
import { bytesOf, type Release } from "../http/memory-budget.ts";
import { itemIds } from "./projection/output-order.ts";

/** The source of a response. */
export interface ResponseSource {
  readonly store: Store;
  /** Seals the receipts of calls that the response only summarizes. */
  readonly sealer: Pick<Sealer, "seal">;
  /** Data to include besides the data that the request includes. @default none */
  readonly include?: readonly string[];
}

/** Returns the values of `include` in a query. */
export function readInclude({ req }: Context): readonly string[] {
  return ["include", "include[]"].flatMap((name) => req.queries(name) ?? []);
}

/** Returns a run as a response, in its current state. */
export async function readResponse(
  { store, sealer, include }: ResponseSource,
  run: RunRecord,
): Promise<ResponseObject> {
  const projection = runProjection(run, sealer, include);
  const compact = await store.readEventsCompact({ owner: run.owner, runId: run.id });
  projection.begin();
  for (const event of compact?.events ?? []) projection.push(await withImages(store, event));
  return projection.response();
}

interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called if the response ends with approval requests while its run waits for the answers. */
  readonly onPause?: (() => void) | undefined;
}

/**
 * Waits until a run has ended or needs its client's answer, and returns it as a response.
 *
 * @throws RequestError if the model failed before the run had any output
 */
export async function awaitResponse(
  { store, sealer }: ResponseSource,
  run: RunRecord,
  { signal, onPause }: ReadOptions,
): Promise<ResponseObject> {
  const projection = runProjection(run, sealer);
  const output = watchOutput();
  projection.begin();
  for await (const event of followEvents({ store, owner: run.owner, runId: run.id, signal })) {
    projection.push(await withImages(store, event));
    output.push(event);
    if (event.type === "chain.ended" && event.error !== undefined && !output.hasOutput()) {
      const failure = upstreamFailure(event.error);
      if (failure !== undefined) throw failure;
    }
    if (!(await asksClient(store, run, { event, projection }))) continue;
    onPause?.();
    break;
  }
  return projection.response();
}

/** Returns whether a running run needs an answer from its client before it continues. */
async function asksClient(
  store: Store,
  { owner }: RunRecord,
  { event, projection }: { readonly event: RunEvent; readonly projection: Projection },
): Promise<boolean> {
  if (event.type !== "approval.requested") return false;
  const ids = projection.openApprovals();
  const found = await Promise.all(ids.map((id) => store.getApproval({ owner, id })));
  return found.some((approval) => approval?.status === "pending");
}

/**
 * Streams a run as a response: the stored events from number `after` on, then new ones. Each string
 * is one event or a piece of a long event. Every read has the same bytes.
 */
export async function* streamResponse(
  { store, sealer, include }: ResponseSource,
  run: RunRecord,
  options: ReadOptions & { readonly after?: number },
): AsyncGenerator<string> {
  const { after = -1, signal, onPause } = options;
  const projection = runProjection(run, sealer, include);
  for (const event of projection.begin())
    if (event.sequence_number > after) yield* encodeInChunks(event);
  for await (const event of followEvents({ store, owner: run.owner, runId: run.id, signal })) {
    for (const out of projection.push(await withImages(store, event)))
      if (out.sequence_number > after) yield* encodeInChunks(out);
    if (!(await asksClient(store, run, { event, projection }))) continue;
    onPause?.();
    for (const out of projection.pause()) yield* encodeInChunks(out);
    break;
  }
  yield endOfStream;
}

/**
 * Options for showing a run in the Responses API. They are stored with the run, so that every
 * replay has the same bytes.
 */
type WireView = Pick<
  ProjectionOptions,
  "echo" | "hosted" | "included" | "servers" | "forms" | "previousResponseId" | "conversation"
> & {
  /** Names of custom tools, as earlier versions stored them in place of `forms`. */
  readonly customTools?: readonly string[];
  /** The agent that the request named as its model. Absent: the run's model. */
  readonly shownModel?: string;
};

export function storedView(view: WireView): JsonValue {
  return view as unknown as JsonValue;
}

/** Returns the view to store with a user's own call: that of a background request for just this call. */
export function directCallView(): JsonValue {
  const { echo } = parseCreateRequest({ model: oneCallModelId, input: "", background: true });
  return storedView({ echo, servers: [] });
}

/** Returns how the API shows the tools of a stored run's client. */
export function toolForms(run: RunRecord): ToolForms {
  if (!isResponse(run)) return {};
  const { forms = {} } = requestOf(run).wire as unknown as WireView;
  return forms;
}

/** Returns the projection of a stored run, before its first event. */
function runProjection(
  run: RunRecord,
  sealer: Pick<Sealer, "seal">,
  include: readonly string[] = [],
): Projection {
  const { wire, approvals, toolOutputs, servers } = requestOf(run);
  const { shownModel = run.model, customTools = [], ...view } = wire as unknown as WireView;
  return createProjection({
    forms: customForms(customTools),
    ...view,
    included: [...(view.included ?? []), ...include],
    responseId: run.id,
    createdAt: run.createdAt,
    model: shownModel,
    approvals,
    sealReceipt: receiptSealer(sealer, run.owner),
    summarized: servers.flatMap(({ ofAgent, group }) => (ofAgent === true ? [group] : [])),
    // A run that waits and resumes may repeat a step in another process, so a call is shown only
    // after its step is stored.
    ...(toolOutputs === "inline" && { toolOutputs, clientCalls: "after_step" }),
  });
}

/** Number of stored items that are parsed in one turn of the event loop. */
const sliceItems = 1_000;

/** Yields a run's input as items with ids, in batches. */
async function* partsOfInput(
  store: Store,
  { id, owner }: RunRecord,
): AsyncGenerator<readonly StoredItem[]> {
  let count = 0;
  for await (const part of (await store.streamInput({ owner, runId: id })) ?? [])
    for (let from = 0; from < part.length; from += sliceItems) {
      await nextTurn();
      const items = parseStored(withReferences(part.slice(from, from + sliceItems)));
      yield storedInput(id, items, count);
      count += items.length;
    }
}

/** Returns all items of a run's input, with ids. */
export async function readInputItems(store: Store, run: RunRecord): Promise<readonly StoredItem[]> {
  return (await Array.fromAsync(partsOfInput(store, run))).flat();
}

interface PageOptions {
  readonly limit: number;
  readonly order: "asc" | "desc";
  /** The page starts after the item with this id. */
  readonly after?: string;
  /** Reserves the bytes of an item before it is held in memory. */
  readonly take: (bytes: number) => Release;
}

/**
 * Reads one page of a run's input. Only the page's items and one more are in memory at the same
 * time.
 *
 * @returns the page, and a function that releases its bytes
 * @throws RequestError for an unknown `after`, or if the budget is used up
 */
export async function readInputPage(
  store: Store,
  run: RunRecord,
  { limit, order, after, take }: PageOptions,
): Promise<{ readonly page: ListView<StoredItem>; readonly release: Release }> {
  const kept: { readonly item: StoredItem; readonly release: Release }[] = [];
  const release = () => kept.forEach((each) => each.release());
  let isFound = after === undefined;
  try {
    reading: for await (const part of partsOfInput(store, run))
      for (const item of part) {
        if (!isFound && item.id === after) {
          isFound = true;
          // The order is newest first, so the page consists of the items before this one.
          if (order === "desc") break reading;
        } else if (isFound || order === "desc") {
          kept.push({ item, release: take(bytesOf(item)) });
          if (kept.length <= limit) continue;
          if (order === "asc") break reading;
          if (kept.length > limit + 1) kept.shift()?.release();
        }
      }
    if (!isFound) throw itemNotFound(after);
  } catch (thrown) {
    release();
    throw thrown;
  }
  const hasMore = kept.length > limit;
  if (order === "desc") kept.reverse();
  if (hasMore) kept.pop()?.release();
  return {
    page: listView(
      kept.map(({ item }) => item),
      hasMore,
    ),
    release,
  };
}

/** The error for a cursor that is not in a list of items. */
export function itemNotFound(after: string | undefined): RequestError {
  const message = `No item with id '${after}' in this list. Leave 'after' out for the first page.`;
  return new RequestError({ param: "after", code: "item_not_found", message });
}

/** Parses stored items, and omits items that this version does not understand. */
function parseStored(items: readonly JsonValue[]): readonly InputItem[] {
  try {
    return parseInput(items);
  } catch (thrown) {
    if (thrown instanceof RequestError) return [];
    throw thrown;
  }
}

/** Returns whether the Responses API shows a run. */
export function isResponse(run: RunRecord): boolean {
  if (run.kind !== "turn") return false;
  const { api = "responses", wire } = requestOf(run);
  return api === "responses" && wire !== null;
}

/** An item with an id, as lists show it and references name it. */
export type StoredItem = JsonObject & { readonly id: string };

const prefixes: { readonly [type: string]: string } = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  local_shell_call: "lsh",
  local_shell_call_output: "lsho",
  shell_call: "sh",
  shell_call_output: "sho",
  apply_patch_call: "apc",
  apply_patch_call_output: "apco",
  tool_search_call: "tsc",
  tool_search_output: "tso",
  additional_tools: "at",
  reasoning: "rs",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
  mcp_approval_response: "mcpa",
};

/**
 * Returns the items of a request as they are stored with its response. Each has a stable id: its
 * own, or one derived from the response's id. References are omitted, because their items are
 * already stored.
 *
 * @param before the number of items that precede these
 */
export function storedInput(
  responseId: string,
  items: readonly InputItem[],
  before = 0,
): readonly StoredItem[] {
  const idOf = itemIds(responseId);
  return items.flatMap((item, index): StoredItem[] => {
    if (item.type === "item_reference") return [];
    const wire = (item.type === "carried" ? item.item : item) as JsonObject;
    const own = typeof wire["id"] === "string" && wire["id"] !== "" ? wire["id"] : undefined;
    const prefix = Object.hasOwn(prefixes, item.type) ? prefixes[item.type] : undefined;
    return [{ ...wire, id: own ?? `${idOf(prefix ?? "item", before + index)}_in` }];
  });
}

/** Returns the items of a response's output, in the same form. */
export function storedOutput(output: readonly OutputItem[]): readonly StoredItem[] {
  return output.map((item) => ({ ...item }) as unknown as StoredItem);
}

/** Returns a stored item as an input item, which replaces the `item_reference` to it. */
export function inputOf(item: StoredItem): InputItem | undefined {
  return parseStored([item])[0];
}
