import { Hono, type Context } from "hono";
import { z } from "zod";
import { newId } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import type {
  ConversationMatch,
  ConversationMatches,
  ConversationState,
  ConversationView,
  RunWithEvents,
} from "@capstan/contract";
import {
  type ConversationRecord,
  isAccepted,
  isClosing,
  type ListedRun,
  type Store,
  type StoreWrite,
} from "@capstan/store";
import { listConversations } from "../http/program-resources.ts";
import type { Environment, Services } from "../http/services.ts";
import {
  entryView,
  findConversation,
  listView,
  readRunCursor,
  requireConversation,
} from "../http/records.ts";
import { readBody, readNumber, readWord, withoutNulls } from "../http/read-body.ts";
import { type ClaimOf, createOnce } from "../http/request-keys.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { listChunks, streamJson } from "../http/streams.ts";
import { badRequest, conflict, isObject, missingParameter, notFound } from "../http/errors.ts";
import type { ConversationHit } from "../search/search-conversations.ts";
import { requireSwitchRight } from "../http/rights.ts";
import { withFiles } from "../http/files/stored-files.ts";
import { corrupt, runView } from "./runs.ts";
import { isCorrupt } from "../runs/active/close-run.ts";

/** The maximum length of a search, in UTF-16 code units. */
const maxQueryLength = 500;

const switches = z.record(z.string().max(200), z.boolean());
const states = ["open", "pinned", "archived"] as const satisfies readonly ConversationState[];
const conversationBody = z.object({
  title: z.string().max(200).nullish(),
  /** Parsed by `addedItems`. */
  items: z.unknown().optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  switches: z
    .object({ groups: switches.exactOptional(), tools: switches.exactOptional() })
    .nullish(),
  state: z.enum(states).nullish(),
});

/**
 * Returns the writes that add messages to a conversation. A parameter, because only the Responses
 * API can parse the messages.
 */
type AddedItems = (
  services: Services,
  place: { readonly owner: string; readonly id: string; readonly from: string | null },
  given: unknown,
) => { readonly writes: readonly StoreWrite[] };

/** Routes of conversations. A conversation points to the newest run of its thread. */
export function conversationRoutes(
  services: Services & { readonly addedItems: AddedItems },
  budget: MemoryBudget,
): Hono<Environment> {
  const { runs } = services;
  const routes = new Hono<Environment>();
  const { store } = runs;
  const find = (context: Context<Environment>): Promise<ConversationRecord> =>
    findConversation(store, context.get("principal"), context.req.param("id") ?? "");

  routes.get("/", async (context) => {
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 50 });
    const after = context.req.query("after");
    const state = readWord(context, "state", states);
    const page = await listConversations(store, context.get("owners"), { limit, after, state });
    return context.json(
      listView(
        page.data.map((entry) => entryView(entry, conversationView)),
        page.hasMore,
      ),
    );
  });

  routes.get("/search", async (context) => {
    const text = context.req.query("query") ?? "";
    if (text.trim() === "") throw missingParameter("query");
    if (text.length > maxQueryLength)
      throw badRequest(
        "query",
        `Invalid 'query': ${text.length} characters; at most ${maxQueryLength} are searched.`,
      );
    const limit = readNumber(context, "limit", { min: 1, max: 50, otherwise: 20 });
    const owner = context.get("principal");
    const { signal } = context.req.raw;
    const { hits, isComplete } = await services.conversationSearch.search({
      owner,
      text,
      limit,
      signal,
    });
    const data = hits.map(matchView);
    return context.json({
      object: "list",
      data,
      is_complete: isComplete,
    } satisfies ConversationMatches);
  });

  routes.post("/", async (context) => {
    const owner = context.get("principal");
    const body = await readBody(context, conversationBody);
    const { title, metadata, switches: given } = body;
    requireSwitchRight(context, services, given?.groups);
    const named = await withFiles({ items: body.items }, "items", { store, owner });
    const items = isObject(named) ? named["items"] : undefined;
    const create = async (claim?: ClaimOf) => {
      const created = newId("conv_");
      const place = { owner, id: created, from: null };
      const { writes: added } = services.addedItems(services, place, items ?? []);
      const conversation = {
        type: "create-conversation",
        id: created,
        owner,
        title: title ?? "",
        metadata: metadata ?? {},
        switches: { groups: given?.groups ?? {}, tools: given?.tools ?? {} },
      } as const;
      const writes = [conversation, ...added, ...(claim ? [claim(created)] : [])];
      return (await store.write(writes)).every(isAccepted) ? created : undefined;
    };
    const id = await createOnce(services, context, create);
    const made = await store.getConversation({ owner, id });
    if (made === undefined) throw notFound("conversation", id);
    return context.json(conversationView(made));
  });

  routes.get("/:id", async (context) => context.json(conversationView(await find(context))));

  routes.post("/:id", async (context) => {
    const { id, owner } = await find(context);
    const { items: _items, ...given } = await readBody(context, conversationBody);
    const update = withoutNulls(given);
    requireSwitchRight(context, services, update.switches?.groups);
    const [outcome] = await store.write([{ type: "update-conversation", owner, id, update }]);
    if (outcome.status !== "updated") throw notFound("conversation", id);
    return context.json(conversationView(outcome.conversation));
  });

  routes.delete("/:id", async (context) => {
    const id = context.req.param("id");
    const outcome = await runs.deleteConversation({ owner: context.get("principal"), id });
    if (outcome.status === "not_found") throw notFound("conversation", id);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    return context.json({ id, object: "conversation.deleted", deleted: true });
  });

  routes.get("/:id/runs", async (context) => {
    const id = context.req.param("id");
    const owner = context.get("principal");
    await requireConversation(store, owner, id);
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const after = await readRunCursor(store, context);
    const page = { conversationId: id, limit, ...(after !== undefined && { after }) };
    const { data, hasMore } = await store.listRuns({ owner, ...page });
    const ends = { hasMore, first: data[0]?.id ?? null, last: data.at(-1)?.id ?? null };
    const release = budget.takeStream(owner);
    return streamJson(listChunks(withEvents(store, data, budget), ends), release);
  });

  return routes;
}

/** Yields each run with its events, which are read when the list reaches that run. */
async function* withEvents(
  store: Store,
  runs: readonly ListedRun[],
  budget: MemoryBudget,
): AsyncGenerator<Iterable<string>> {
  for (const run of runs) {
    const events = { owner: run.owner, runId: run.id };
    const id = `events of ${run.id}`;
    const read = async () => {
      const compact = await store.readEventsCompact(events).catch((thrown: unknown) => {
        // The list continues with the other runs.
        if (isCorrupt(thrown)) return "corrupt" as const;
        throw thrown;
      });
      const view =
        compact === "corrupt"
          ? { ...runView(run), error: corrupt, events: [] }
          : { ...runView(run), last_seq: compact?.lastSeq ?? 0, events: compact?.events ?? [] };
      return view satisfies RunWithEvents;
    };
    // The response has begun, so a run that exceeds the budget is still sent. Later requests wait.
    const options = { id, isFinal: isClosing(run.status), always: true, read };
    const { answer, release } = await budget.readAnswer(run.owner, options);
    try {
      yield jsonChunks(answer);
    } finally {
      release();
    }
  }
}

function matchView({
  conversation,
  runId,
  place,
  text,
  matches,
}: ConversationHit): ConversationMatch {
  return {
    object: "conversation.match",
    conversation: conversationView(conversation),
    run: runId,
    found_in: place,
    text,
    matches,
  };
}

function conversationView(conversation: ConversationRecord): ConversationView {
  return {
    id: conversation.id,
    object: "conversation",
    title: conversation.title,
    created_at: Math.floor(conversation.createdAt / 1_000),
    updated_at: conversation.updatedAt,
    metadata: conversation.metadata,
    head: conversation.headRunId,
    head_status: conversation.headStatus,
    switches: conversation.switches,
    state: conversation.state,
  };
}
