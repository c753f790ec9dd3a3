import { jsonChunks } from "@capstan/core/base";
import { type Context, Hono } from "hono";
import { isAccepted, isClosing } from "@capstan/store";
import { z } from "zod";
import {
  badRequest,
  checked,
  conflict,
  isObject,
  missingParameter,
  notFound,
} from "../http/errors.ts";
import { bytesOf, type MemoryBudget, type Release } from "../http/memory-budget.ts";
import { readJson, readNumber, readWord } from "../http/read-body.ts";
import { corrupt, corruptView, unlessCorrupt } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";
import { listChunks, streamJson } from "../http/streams.ts";
import { checkedMetadata, metadataSchema } from "./metadata.ts";
import {
  completionId,
  findCompletion,
  linksOf,
  readCompletion,
  runIdOf,
  type StoredCompletion,
  whole,
} from "./read-completion.ts";
import { readStoredMessages } from "./stored-messages.ts";

const change = z.object({ metadata: metadataSchema });

/** Routes of stored chat completions: list, read, change and delete them, and list their messages. */
export function storedCompletionRoutes(
  services: Services,
  budget: MemoryBudget,
): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs } = services;
  const { store } = runs;

  const find = async (context: Context<Environment>): Promise<StoredCompletion> => {
    const given = context.req.param("id") ?? "";
    const owner = context.get("principal");
    const found = await findCompletion(runs, { owner, id: runIdOf(given) });
    if (found === undefined) throw notFound("chat completion", given);
    return found;
  };
  const send = async (context: Context<Environment>, found: StoredCompletion) => {
    const { answer, release } = await budget.readAnswer(found.run.owner, {
      id: `${found.run.id} completion`,
      isFinal: false,
      always: false,
      signal: context.req.raw.signal,
      read: async () => whole(await readCompletion(runs, found, linksOf(services, context))),
    });
    return streamJson(jsonChunks(answer), release);
  };

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const query = readListQuery(context);
    const { after } = query;
    if (after !== undefined) {
      const known = await unlessCorrupt(() => store.getCompletion({ owner, id: after }));
      if (known === undefined) throw unknownCursor("chat completion", completionId(after));
    }
    const { page, release } = await budget.readOneByOne(owner, () =>
      readPage(completionsOf(services, context, query), {
        limit: query.limit,
        take: (bytes) => budget.take(owner, bytes),
      }),
    );
    return sendPage(page, query.limit, release);
  });

  routes.get("/:id", async (context) => send(context, await find(context)));

  routes.post("/:id", async (context) => {
    const found = await find(context);
    const body = await readJson(context);
    if (!isObject(body) || body["metadata"] === undefined) throw missingParameter("metadata");
    const metadata = checkedMetadata(checked(change, body, "").metadata);
    const { id, owner } = found.run;
    const [outcome] = await store.write([{ type: "change-completion", owner, id, metadata }]);
    if (!isAccepted(outcome)) throw notFound("chat completion", completionId(id));
    return send(context, { ...found, metadata });
  });

  routes.delete("/:id", async (context) => {
    const { run, runIds } = await find(context);
    // The first choice is deleted last, because the id of its run finds the others.
    for (const id of runIds.toReversed()) {
      const choice = await store.getRun({ owner: run.owner, id });
      const outcome = choice && (await runs.delete(choice));
      if (outcome?.status === "refused") throw conflict(outcome.reason);
    }
    const id = completionId(run.id);
    return context.json({ object: "chat.completion.deleted", id, deleted: true });
  });

  routes.get("/:id/messages", async (context) => {
    const found = await find(context);
    const { limit, order, after } = readPageQuery(context);
    const { owner } = found.run;
    const { page, release } = await budget.readOneByOne(owner, async () => {
      const messages = await readStoredMessages(store, found, linksOf(services, context));
      const all = order === "asc" ? messages : messages.toReversed();
      const at = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      if (after !== undefined && at === 0) throw unknownCursor("message", after);
      const shown = all.slice(at, at + limit + 1);
      return { page: shown, release: budget.take(owner, bytesOf(shown)) };
    });
    return sendPage(page, limit, release);
  });

  return routes;
}

interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly after: string | undefined;
}

function readPageQuery(context: Context): PageQuery {
  return {
    limit: readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 }),
    order: readWord(context, "order", ["asc", "desc"]) ?? "asc",
    after: context.req.query("after") || undefined,
  };
}

interface ListQuery extends PageQuery {
  /** The id of the run after which the page begins. */
  readonly after: string | undefined;
  readonly model: string | undefined;
  readonly metadata: readonly (readonly [string, string])[];
}

function readListQuery(context: Context): ListQuery {
  const { limit, order, after } = readPageQuery(context);
  const metadata = [...new URL(context.req.url).searchParams].flatMap(([name, value]) => {
    const key = /^metadata\[(.*)\]$/s.exec(name)?.[1];
    if (name === "metadata") throw badRequest("metadata", wrongFilter);
    return key === undefined ? [] : [[key, value] as const];
  });
  const model = context.req.query("model") || undefined;
  return { limit, order, after: after && runIdOf(after), model, metadata };
}

const wrongFilter =
  "Invalid 'metadata': name a key and its value, for example metadata[topic]=sailing.";

/** The number of completions whose metadata are compared in one read. */
const chunk = 100;

/** Yields the finished completions that match a query, in its order. */
async function* completionsOf(
  services: Services,
  context: Context<Environment>,
  { order, model, metadata, after: first }: ListQuery,
): AsyncGenerator<ListEntry, void, undefined> {
  const owner = context.get("principal");
  const { runs } = services;
  const linkOf = linksOf(services, context);
  for (let after = first; ;) {
    const query = {
      owner,
      order,
      limit: chunk,
      ...(model !== undefined && { model }),
      ...(after !== undefined && { after }),
    };
    const records = await runs.store.listCompletions(query);
    for (const { id, metadata: own } of records) {
      const isMatch = metadata.every(
        ([key, value]) => Object.hasOwn(own, key) && own[key] === value,
      );
      if (!isMatch) continue;
      const entry = await unlessCorrupt(async () => {
        const found = await findCompletion(runs, { owner, id });
        if (found === undefined || !isClosing(found.run.status)) return undefined;
        const parts = await readCompletion(runs, found, linkOf);
        const isFinished = parts.pieces.every((each) => each.at(-1)?.type === "end");
        return isFinished ? whole(parts) : undefined;
      });
      if (entry === corrupt) yield { ...corruptView(completionId(id)) };
      else if (entry !== undefined) yield entry as ListEntry;
    }
    after = records.at(-1)?.id;
    if (records.length < chunk) return;
  }
}

type ListEntry = object & { readonly id: string };

/** Reads up to one entry more than a page has. */
async function readPage(
  entries: AsyncIterable<ListEntry>,
  { limit, take }: { readonly limit: number; readonly take: (bytes: number) => Release },
): Promise<{ readonly page: readonly ListEntry[]; readonly release: Release }> {
  const page: ListEntry[] = [];
  const releases: Release[] = [];
  const release = () => releases.forEach((each) => each());
  try {
    for await (const entry of entries) {
      releases.push(take(bytesOf(entry)));
      page.push(entry);
      if (page.length > limit) break;
    }
  } catch (thrown) {
    release();
    throw thrown;
  }
  return { page, release };
}

function sendPage(
  entries: readonly (object & { readonly id: string })[],
  limit: number,
  release: Release,
): Response {
  const page = entries.slice(0, limit);
  const ends = { first: page[0]?.id ?? null, last: page.at(-1)?.id ?? null };
  const hasMore = entries.length > limit;
  return streamJson(listChunks(page.map(jsonChunks), { hasMore, ...ends }), release);
}

function unknownCursor(what: string, id: string) {
  const message = `Invalid 'after': there is no ${what} '${id.slice(0, 100)}' in this list. Leave 'after' out for the first page.`;
  return badRequest("after", message);
}
