import { CapstanError } from "@capstan/core";
import type { Context } from "hono";
import type { DamagedView, ListView } from "@capstan/contract";
import type {
  ConversationRecord,
  DamagedPermission,
  DamagedRecord,
  RunRecord,
  Store,
} from "@capstan/store";
import { badRequest, notFound } from "./errors.ts";
import type { Environment, Services } from "./services.ts";

/**
 * Returns the conversation that a request names. Lists use it, too: an empty list of an unknown
 * conversation would mean that nothing waits in it.
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

/** Like `findConversation`, for lists: those of a damaged conversation are shown. */
export async function requireConversation(store: Store, owner: string, id: string): Promise<void> {
  await unlessDamaged(() => findConversation(store, owner, id));
}

export const damaged = Symbol("damaged");

/** Reads what a list needs, or returns `damaged` if its stored row is. */
export async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | typeof damaged> {
  try {
    return await read();
  } catch (thrown) {
    if (CapstanError.isInstance(thrown) && thrown.code === "database_corrupt") return damaged;
    throw thrown;
  }
}

type OfRun = Context<Environment>;

/** The run that a path names, among those that are kept. */
export function findRun({ runs }: Services, context: OfRun): Promise<RunRecord> {
  return read(runs.store, context);
}

/** One that is not kept, too: it cannot be read, but what it waits for is answered, and it is stopped. */
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
  const run = await unlessDamaged(() => store.getRun({ owner, id: after }));
  if (run !== undefined) return after;
  throw badRequest("after", `after: there is no run "${after.slice(0, 100)}" here.`);
}

/** A list in OpenAI's form. */
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

/** Shows an entry of a list whose row is damaged as one, and other entries with `view`. */
export function entryView<T extends object, V>(
  entry: T | DamagedRecord | DamagedPermission,
  view: (record: T) => V,
): V | DamagedView {
  return "isDamaged" in entry ? damagedView(entry.id) : view(entry);
}

export function damagedView(id: string): DamagedView {
  const message =
    'The stored data of this entry is damaged. "capstan db check" names its row; restore the last backup.';
  return { object: "damaged", id, error: { code: "entry_damaged", message } };
}

function ownId(item: object): string | null {
  return "id" in item && typeof item.id === "string" ? item.id : null;
}
