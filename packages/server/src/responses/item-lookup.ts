import { type RunRecord, type Store, requestOf } from "@capstan/store";
import { inputOf, storedInput, type StoredItem, storedOutput } from "./history-items.ts";
import { parseInput } from "./request/parse-input.ts";
import type { InputItem } from "./request/input-item.ts";
import { withReferences } from "./stored-content.ts";
import { readResponse } from "./read-response.ts";

/** An item's id names its response and its place: nothing else has to be kept to find it. */
const itemId = /^[a-z]+_([0-9a-z]+)_\d+(_in)?$/;

/** What the items that an input refers to are, as far as they are this owner's. */
export async function lookUpItems(
  store: Store,
  owner: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, InputItem>> {
  const found = new Map<string, InputItem>();
  const read = new Map<string, Promise<readonly StoredItem[]>>();
  for (const id of new Set(ids)) {
    const suffix = itemId.exec(id)?.[1];
    if (suffix === undefined) continue;
    const runId = `resp_${suffix}`;
    const items = read.get(runId) ?? itemsOf(store, owner, runId);
    read.set(runId, items);
    const item = (await items).find((candidate) => candidate.id === id);
    const input = item === undefined ? undefined : inputOf(item);
    if (input !== undefined) found.set(id, input);
  }
  return found;
}

/** A run's input as items with ids. */
export async function inputItemsOf(
  store: Store,
  { id, owner }: RunRecord,
): Promise<readonly StoredItem[]> {
  const input = (await store.readInput({ owner, runId: id })) ?? [];
  const parsed = parseInput(withReferences(input));
  return parsed.status === "ok" ? storedInput(id, parsed.value) : [];
}

async function itemsOf(store: Store, owner: string, id: string): Promise<readonly StoredItem[]> {
  const run = await store.getRun({ owner, id });
  if (run === undefined || !isTurn(run)) return [];
  return [
    ...(await inputItemsOf(store, run)),
    ...storedOutput((await readResponse(store, run)).output),
  ];
}

function isTurn(run: RunRecord): boolean {
  return run.kind === "turn" && requestOf(run).wire !== null;
}
