import { type Context, Hono } from "hono";
import { neutraliseMessage, newId } from "@capstan/core/host";
import {
  type ConversationRecord,
  encodeRunRequest,
  isAccepted,
  isClosing,
  type RunRecord,
  type StoreWrite,
} from "@capstan/store";
import {
  badRequest,
  conflict,
  isObject,
  missingParameter,
  notFound,
  RequestError,
  wrongType,
} from "../http/errors.ts";
import { bytesOf, type MemoryBudget, type Release } from "../http/memory-budget.ts";
import { readJson, readNumber, readWord } from "../http/read-body.ts";
import { createOnce } from "../http/request-keys.ts";
import { findConversation } from "../http/records.ts";
import { withFiles } from "../http/files/stored-files.ts";
import type { Environment, Services } from "../http/services.ts";
import { listChunks, streamJson } from "../http/streams.ts";
import { itemMessages } from "../runs/history/item-messages.ts";
import { receiptOpener } from "./projection/call-receipts.ts";
import { itemChunks, storedItems } from "./content-parts.ts";
import { historyItems } from "./history-items.ts";
import {
  isResponse,
  readInclude,
  itemNotFound,
  readInputItems,
  readResponse,
  type ResponseSource,
  type StoredItem,
  storedOutput,
} from "./read-response.ts";
import { withKnownItems } from "./request/foreign-items.ts";
import { type ItemOf, parseInput } from "./request/parse-input.ts";

/** Routes of the items of conversations: the input and output of their responses. */
export function conversationItemRoutes(
  services: Services,
  budget: MemoryBudget,
): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = services.runs;
  const source = { store, sealer: services.sealer };
  const find = (context: Context<Environment>): Promise<ConversationRecord> =>
    findConversation(store, context.get("principal"), context.req.param("id") ?? "");
  const findItem = async (context: Context<Environment>): Promise<StoredItem> => {
    const id = context.req.param("itemId") ?? "";
    const included = { ...source, include: readInclude(context) };
    for await (const item of conversationItems(included, await find(context), "desc"))
      if (item.id === id) return item;
    throw notFound("item", id);
  };

  routes.get("/:id/items", async (context) => {
    const conversation = await find(context);
    const { owner } = conversation;
    const order = readWord(context, "order", ["asc", "desc"]) ?? "desc";
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const after = context.req.query("after");
    const { items, release } = await budget.readOneByOne(owner, () =>
      readPage(
        conversationItems({ ...source, include: readInclude(context) }, conversation, order),
        {
          limit,
          after,
          take: (item) => budget.take(owner, bytesOf(item)),
        },
      ),
    );
    const shown = items.slice(0, limit);
    const ends = { first: shown[0]?.id ?? null, last: shown.at(-1)?.id ?? null };
    const hasMore = items.length > limit;
    const data = shown.map((item) => itemChunks(item, store));
    return streamJson(listChunks(data, { hasMore, ...ends }), release);
  });

  routes.post("/:id/items", async (context) => {
    const conversation = await find(context);
    const { headRunId: from, id, owner } = conversation;
    const body = await withFiles(await readJson(context), "items", { store, owner });
    const items = isObject(body) ? body["items"] : undefined;
    if (items == null) throw missingParameter("items");
    const runId = await createOnce(services, context, async (claim) => {
      const head = from === null ? undefined : await store.getRun({ owner, id: from });
      const isOpen = (head?.result?.waiting ?? []).length > 0;
      if (isOpen || (head !== undefined && !isClosing(head.status)))
        throw conflict(
          "The newest response of this conversation has not ended, or waits for outputs or approvals. Wait for its end, or send these first.",
        );
      const { writes, runId: made } = addedItems(services, { owner, id, from }, items);
      if (made === undefined) throw badRequest("items", "Invalid 'items': send at least one item.");
      const outcomes = await store.write([...writes, ...(claim ? [claim(made)] : [])]);
      if (outcomes.every(isAccepted)) return made;
      // Either an earlier try has added these items, or another request has added other ones.
      if (claim !== undefined) return undefined;
      throw conflict(newerItems);
    });
    const run = await store.getRun({ owner, id: runId });
    if (run === undefined) throw conflict(newerItems);
    const added = await readInputItems(store, run);
    const ends = { first: added[0]?.id ?? null, last: added.at(-1)?.id ?? null };
    const data = added.map((item) => itemChunks(item, store));
    return streamJson(listChunks(data, { hasMore: false, ...ends }));
  });

  routes.get("/:id/items/:itemId", async (context) =>
    streamJson(itemChunks(await findItem(context), store)),
  );

  routes.delete("/:id/items/:itemId", async (context) => {
    const { id } = await findItem(context);
    throw new RequestError({
      code: "unsupported_operation",
      param: "item_id",
      message: `Unsupported operation: the item '${id.slice(0, 100)}' cannot be deleted alone, because later responses continue from it. Delete the conversation, or begin a new one with the items to keep.`,
    });
  });

  return routes;
}

const newerItems = "The conversation has newer items from another client. Load it again.";

/** Number of items that one request can add. */
const mostAdded = 20;

/**
 * Returns the writes that add messages to a conversation, as context of its next response, and the
 * id of the run that has them. Without items there is nothing to write.
 *
 * @param place.from the newest run of the conversation
 * @throws RequestError for items that are not messages
 */
export function addedItems(
  { sealer }: Pick<Services, "sealer">,
  place: { readonly owner: string; readonly id: string; readonly from: string | null },
  given: unknown,
): { readonly writes: readonly StoreWrite[]; readonly runId?: string } {
  const { owner, id, from } = place;
  const messages = parseMessages(given, (sealed) => sealer.open(owner, sealed));
  if (messages.length === 0) return { writes: [] };
  const { items, blobs } = storedItems(messages);
  const runId = newId("resp_");
  const context = itemMessages(
    historyItems(messages, receiptOpener(sealer, owner)).flatMap((item) =>
      item.type === "reference" ? [] : [item],
    ),
    { outputOf: new Map() },
    // External text must not look like the system's own log.
  ).map(neutraliseMessage);
  const request = encodeRunRequest({
    version: 1,
    instructions: null,
    servers: [],
    clientTools: [],
    settings: {},
    maxToolCalls: null,
    maxRounds: null,
    approvals: "deferred",
    toolOutputs: "deferred",
    history: "log",
    context,
    outputs: [],
    answers: [],
    continuesParent: false,
    adopts: false,
    wire: null,
  });
  const run = {
    kind: "edit",
    status: "completed",
    id: runId,
    owner,
    model: "",
    request,
    input: items,
    blobs,
    conversationId: id,
    ...(from !== null && { parentId: from }),
  } as const;
  return {
    writes: [
      { type: "create-run", run },
      { type: "move-head", owner, id, from, to: runId },
    ],
    runId,
  };
}

const storable: ReadonlySet<unknown> = new Set(["message", "compaction", "compaction_summary"]);

function parseMessages(
  given: unknown,
  open: Parameters<typeof withKnownItems>[1],
): readonly ItemOf<"message">[] {
  if (!Array.isArray(given)) throw wrongType("items", "an array of messages", given);
  if (given.length > mostAdded)
    throw badRequest(
      "items",
      `Invalid 'items': expected at most ${mostAdded} items, but got ${given.length}. Send them in several requests.`,
    );
  for (const [at, item] of given.entries()) {
    const type: unknown = isObject(item) ? item["type"] : undefined;
    if (type == null || storable.has(type)) continue;
    throw new RequestError({
      param: `items[${at}].type`,
      code: "unsupported_parameter",
      message: `Unsupported item: 'items[${at}]' has the type ${JSON.stringify(type).slice(0, 100)}. Only messages and this server's compaction items can be added to a conversation; send other items as 'input' of a response.`,
    });
  }
  try {
    const known = withKnownItems({ input: given }, open);
    return parseInput(isObject(known) ? known["input"] : []).filter(
      (item) => item.type === "message",
    );
  } catch (thrown) {
    throw thrown instanceof RequestError ? namedItems(thrown) : thrown;
  }
}

/**
 * Returns an error about an item in which `items`, the list that the client sent, replaces `input`.
 */
function namedItems(error: RequestError): RequestError {
  const { status, type, code, param, message } = error;
  return new RequestError({
    status,
    type,
    code,
    param: param.replace(/^input/, "items"),
    message: message.replaceAll("'input", "'items"),
  });
}

/** Yields the items of a conversation: of each run its input, then its output. */
export async function* conversationItems(
  source: ResponseSource,
  { owner, headRunId }: ConversationRecord,
  order: "asc" | "desc",
): AsyncGenerator<StoredItem> {
  const { store } = source;
  const ids: string[] = [];
  for (let id: string | null = headRunId; id !== null;) {
    const run: RunRecord | undefined = await store.getRun({ owner, id });
    if (run === undefined) break;
    if (order === "desc") yield* (await itemsOfRun(source, run)).toReversed();
    else ids.push(run.id);
    id = run.parentId;
  }
  for (const id of ids.toReversed()) {
    const run = await store.getRun({ owner, id });
    if (run !== undefined) yield* await itemsOfRun(source, run);
  }
}

async function itemsOfRun(source: ResponseSource, run: RunRecord): Promise<readonly StoredItem[]> {
  const { store } = source;
  if (run.kind === "edit") return readInputItems(store, run);
  if (!isResponse(run)) return [];
  const input = await readInputItems(store, run);
  return [...input, ...storedOutput((await readResponse(source, run)).output)];
}

/** Reads the items of a page and one more, if there is one. */
async function readPage(
  all: AsyncIterable<StoredItem>,
  options: {
    readonly limit: number;
    readonly after: string | undefined;
    readonly take: (item: StoredItem) => Release;
  },
): Promise<{ readonly items: readonly StoredItem[]; readonly release: Release }> {
  const { limit, after, take } = options;
  const items: StoredItem[] = [];
  const releases: Release[] = [];
  const release = () => releases.forEach((each) => each());
  let isFound = after === undefined;
  try {
    for await (const item of all) {
      if (isFound) {
        releases.push(take(item));
        items.push(item);
        if (items.length > limit) break;
      }
      isFound ||= item.id === after;
    }
    if (!isFound) throw itemNotFound(after);
  } catch (thrown) {
    release();
    throw thrown;
  }
  return { items, release };
}
