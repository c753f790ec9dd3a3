import type { RunRecord } from "@capstan/store";
import type { Sealer } from "../http/sealing.ts";
import type { StoredHistoryItem } from "../runs/history/history-item.ts";
import type { RunStores } from "../runs/active/run-stores.ts";
import { receiptOpener } from "./projection/call-receipts.ts";
import { historyItem } from "./history-items.ts";
import { approvalIdOf, runOfItem } from "./projection/output-order.ts";
import {
  inputOf,
  isResponse,
  readInputItems,
  readResponse,
  type ResponseSource,
  type StoredItem,
  storedOutput,
} from "./read-response.ts";
import type { InputItem } from "./request/parse-input.ts";

/** Returns the items with these ids, if they belong to this owner. */
export async function lookUpItems(
  { stores, sealer }: { readonly stores: RunStores; readonly sealer: Sealer },
  owner: string,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, StoredHistoryItem<InputItem>>> {
  const found = new Map<string, StoredHistoryItem<InputItem>>();
  const openReceipt = receiptOpener(sealer, owner);
  const lists = new Map<string, Promise<ReadonlyMap<string, StoredItem>>>();
  for (const id of ids) {
    const source = await findSource(stores, owner, id);
    if (source === undefined) continue;
    const { runId, isInput } = source;
    const key = `${runId} ${isInput}`;
    const list =
      lists.get(key) ??
      readItems({ store: stores.of(runId), sealer }, { owner, id: runId }, isInput);
    lists.set(key, list);
    const item = (await list).get(id);
    const input = item === undefined ? undefined : inputOf(item);
    if (input !== undefined)
      found.set(id, {
        item: historyItem(input, 0, openReceipt),
        runId,
        isDurable: stores.of(runId) === stores.durable,
      });
  }
  return found;
}

interface ItemSource {
  readonly runId: string;
  readonly isInput: boolean;
}

/** Returns the run that an item's id names. */
async function findSource(
  stores: RunStores,
  owner: string,
  id: string,
): Promise<ItemSource | undefined> {
  const approvalId = approvalIdOf(id);
  if (approvalId !== undefined) {
    const approval = await stores.getApproval({ owner, id: approvalId });
    return approval && { runId: approval.runId, isInput: false };
  }
  const runId = runOfItem(id);
  return runId === undefined ? undefined : { runId, isInput: id.endsWith("_in") };
}

async function readItems(
  source: ResponseSource,
  { owner, id }: Pick<RunRecord, "owner" | "id">,
  isInput: boolean,
): Promise<ReadonlyMap<string, StoredItem>> {
  const { store } = source;
  const run = await store.getRun({ owner, id });
  const holdsAdded = run?.kind === "edit" && isInput;
  if (run === undefined || !(holdsAdded || isResponse(run))) return new Map();
  const items = isInput
    ? await readInputItems(store, run)
    : storedOutput((await readResponse(source, run)).output);
  return new Map(items.map((item) => [item.id, item]));
}
