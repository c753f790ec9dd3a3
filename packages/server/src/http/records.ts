import { CapstanError } from "@capstan/core";
import type { Context } from "hono";
import type { CorruptView, ListView } from "@capstan/contract";
import type {
  ConversationRecord,
  CorruptPermission,
  CorruptRecord,
  RunRecord,
  Store,
} from "@capstan/store";
import { badRequest, notFound } from "./errors.ts";
import type { Environment, Services } from "./services.ts";

/**
 * Returns the conversation that a request names. Lists use it too, because an empty list for an
 * unknown conversation would suggest that no approval is pending.
 *
 * @throws RequestError 404 if it does not exist or has another owner
 */
export async function findConversation(
  store: Store,
  owner: string,
  id: string,
): Promise<ConversationRecord> {
  const conversation = await store.getConversation({ owner, id });
  if (conversation === undefined) throw notFound("conversation", id);
  return conversation;
}

/** Like `findConversation`, for lists, which also work for a corrupt conversation. */
export async function requireConversation(store: Store, owner: string, id: string): Promise<void> {
  await unlessCorrupt(() => findConversation(store, owner, id));
}

export const corrupt = Symbol("corrupt");

/** Reads data for a list, or returns `corrupt` if its stored row is corrupt. */
export async function unlessCorrupt<T>(read: () => Promise<T>): Promise<T | typeof corrupt> {
  try {
    return await read();
  } catch (thrown) {
    if (CapstanError.isInstance(thrown) && thrown.code === "database_corrupt") return corrupt;
    throw thrown;
  }
}

type OfRun = Context<Environment>;

/** Returns the stored run that a path names. */
export function findRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  return read(runs.store, context);
}

/**
 * Like `findRun`, but also finds unstored runs: clients cannot retrieve them, but can answer and
 * cancel them.
 */
export function findAnyRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  return read(runs.stores.of(context.req.param("id") ?? ""), context);
}

async function read(store: Store, context: OfRun): Promise<RunRecord> {
  const id = context.req.param("id") ?? "";
  const run = await store.getRun({ owner: context.get("principal"), id });
  if (run === undefined) throw notFound("run", id);
  return run;
}

/** Returns the run after which a list continues. @throws RequestError if there is no such run */
export async function readRunCursor(store: Store, context: OfRun): Promise<string | undefined> {
  const after = context.req.query("after");
  const owner = context.get("principal");
  if (after === undefined) return undefined;
  const run = await unlessCorrupt(() => store.getRun({ owner, id: after }));
  if (run !== undefined) return after;
  throw badRequest("after", `after: there is no run "${after.slice(0, 100)}" here.`);
}

/** Returns a list in OpenAI's form. */
export function listView<T extends object>(
  data: readonly T[],
  hasMore = false,
  idOf: (item: T) => string | null = ownId,
): ListView<T> {
  const first = data[0];
  const last = data.at(-1);
  return {
    object: "list",
    data,
    has_more: hasMore,
    first_id: first === undefined ? null : idOf(first),
    last_id: last === undefined ? null : idOf(last),
  };
}

/** Returns a list entry with a corrupt row as a corrupt entry, and other entries with `view`. */
export function entryView<T extends object, V>(
  entry: T | CorruptRecord | CorruptPermission,
  view: (record: T) => V,
): V | CorruptView {
  return "isCorrupt" in entry ? corruptView(entry.id) : view(entry);
}

export function corruptView(id: string): CorruptView {
  const message =
    'The stored data of this entry is corrupt. "capstan db check" names its row; restore the last backup.';
  return { object: "corrupt", id, error: { code: "entry_corrupt", message } };
}

function ownId(item: object): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}
