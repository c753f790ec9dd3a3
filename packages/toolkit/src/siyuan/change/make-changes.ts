import { ownAttributes, plainText } from "../blocks/attribute-lists.ts";
import { flush, readChildren, readKramdown, readKramdowns } from "../blocks/read-blocks.ts";
import type { AskKernel } from "../kernel/kernel.ts";
import { KernelError, refused } from "../kernel/kernel-error.ts";
import { attributesReply, noReply, transactionsReply } from "../kernel/replies.ts";
import type { BlockChange, BlockChanges, ChangeStep } from "./change-record.ts";
import type { PlannedStep } from "./plan-changes.ts";
import { takeBack } from "./take-back.ts";

/** The last change of each folder of changes in this process. */
const lastChanges = new Map<string, Promise<unknown>>();

/** Runs changes one after another, so that no text changes between a call's read and its write. */
export async function runSerially<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = lastChanges.get(folder);
  const own = (async () => {
    await before?.catch(() => {});
    return run();
  })();
  lastChanges.set(folder, own);
  try {
    return await own;
  } finally {
    if (lastChanges.get(folder) === own) lastChanges.delete(folder);
  }
}

/**
 * Makes all writes or none: if one fails, the earlier ones are undone. The kernel reports success
 * for some writes that it did not make, so each one is read back. The former texts are stored
 * before each write.
 *
 * @throws KernelError
 */
export async function makeChanges(
  ask: AskKernel,
  steps: readonly PlannedStep[],
  { change, changes }: { readonly change: BlockChange; readonly changes: BlockChanges },
): Promise<BlockChange> {
  let current: BlockChange = { ...change, status: "begun", steps: [] };
  const keep = async (step: ChangeStep, isNew: boolean): Promise<void> => {
    const before = isNew ? current.steps : current.steps.slice(0, -1);
    current = { ...current, steps: [...before, step] };
    await changes.save(current);
  };
  try {
    for (const step of steps) await makeStep(ask, step, keep);
    current = { ...current, status: "done" };
    return current;
  } catch (error) {
    await rollBack(ask, current, error);
    await changes.forget(current.id);
    throw error;
  }
}

/** @throws KernelError `not_restored`, with the error and the blocks that stay changed */
async function rollBack(ask: AskKernel, change: BlockChange, error: unknown): Promise<void> {
  try {
    await takeBack(ask, change, { isChecked: false });
  } catch (failure) {
    const [first, second] = [error, failure].map((one) =>
      one instanceof Error ? one.message : "",
    );
    const ids = change.steps.flatMap((step) => (step.do === "insert" ? [] : [step.id]));
    throw new KernelError({
      code: "not_restored",
      message: `A write failed (${first}), and the writes before it could not be undone (${second}). Read these blocks: ${ids.join(", ")}. To try again, call applyBlockDiff {"undo": "${change.id}"}.`,
    });
  }
}

type Keep = (step: ChangeStep, isNew: boolean) => Promise<void>;

async function makeStep(ask: AskKernel, step: PlannedStep, keep: Keep): Promise<void> {
  const container = step.spot.container?.id ?? step.spot.id;
  switch (step.do) {
    case "update": {
      const { id } = step.spot;
      const { before, data } = step;
      const siblings = (await readChildren(ask, container)).map((one) => one.id);
      const kept = { do: "update", id, before, container, siblings } as const;
      await keep(kept, true);
      await ask("/api/block/updateBlock", { id, dataType: "markdown", data }, noReply);
      await flush(ask);
      const written = await readKramdown(ask, id);
      if (plainText(written) === plainText(before)) throw notMade(`block ${id} was not changed`);
      await restoreAttributes(ask, id, { before, written });
      const added = await readAdded(ask, container, siblings, id);
      await keep({ ...kept, after: plainText(written), added }, false);
      return;
    }
    case "delete": {
      const { id } = step.spot;
      const siblings = (await readChildren(ask, container)).map((one) => one.id);
      const previousID = siblings[siblings.indexOf(id) - 1];
      const place = { container, ...(previousID !== undefined && { previousID }) };
      await keep({ do: "delete", id, before: step.before, place }, true);
      await ask("/api/block/deleteBlock", { id }, noReply);
      await flush(ask);
      const [left = ""] = await readKramdowns(ask, [id]);
      if (left !== "") throw notMade(`block ${id} was not deleted`);
      return;
    }
    case "insert": {
      const { place, data } = step;
      const holder =
        "prependTo" in place ? place.prependTo : "appendTo" in place ? place.appendTo : container;
      const siblings = (await readChildren(ask, holder)).map((one) => one.id);
      const kept = { do: "insert", container: holder, siblings } as const;
      await keep(kept, true);
      const first = await insert(ask, place, data);
      await flush(ask);
      const added = await readAdded(ask, holder, siblings, first);
      if (added.length === 0) throw notMade("the new blocks were not inserted");
      await keep({ ...kept, added }, false);
    }
  }
}

/** Returns the id of the first new block. */
async function insert(
  ask: AskKernel,
  place: Extract<PlannedStep, { readonly do: "insert" }>["place"],
  data: string,
): Promise<string> {
  const body = { dataType: "markdown", data };
  const [path, where] =
    "prependTo" in place
      ? ["/api/block/prependBlock", { parentID: place.prependTo }]
      : "appendTo" in place
        ? ["/api/block/appendBlock", { parentID: place.appendTo }]
        : ["/api/block/insertBlock", place];
  const transactions = await ask(path, { ...body, ...where }, transactionsReply);
  return transactions[0]?.doOperations[0]?.id ?? "";
}

/**
 * Returns the blocks that a write added: the new blocks from `first` on. Excludes blocks that the
 * user adds elsewhere at the same time.
 */
async function readAdded(
  ask: AskKernel,
  container: string,
  siblings: readonly string[],
  first: string,
): Promise<{ id: string; text: string }[]> {
  const known = new Set(siblings);
  const children = (await readChildren(ask, container)).map(({ id }) => id);
  const from = children.slice(Math.max(0, children.indexOf(first)));
  const [head, ...rest] = from;
  const fresh = head !== undefined && known.has(head) ? rest : from;
  const start = fresh.findIndex((id) => !known.has(id));
  const isAtFirst = children.includes(first);
  const run = isAtFirst ? fresh : start < 0 ? [] : fresh.slice(start);
  const end = run.findIndex((id) => known.has(id));
  const added = end < 0 ? run : run.slice(0, end);
  const kramdowns = await readKramdowns(ask, added);
  return added.map((id, at) => ({ id, text: plainText(kramdowns[at] ?? "") }));
}

/** Restores the user's attributes of a block if the kernel dropped them. */
async function restoreAttributes(
  ask: AskKernel,
  id: string,
  { before, written }: { readonly before: string; readonly written: string },
): Promise<void> {
  const [wanted, found] = [ownAttributes(before, id), ownAttributes(written, id)];
  const lost = Object.entries(wanted).filter(([name, value]) => found[name] !== value);
  if (lost.length === 0) return;
  await ask("/api/attr/setBlockAttrs", { id, attrs: Object.fromEntries(lost) }, noReply);
  const now = await ask("/api/attr/getBlockAttrs", { id }, attributesReply);
  const missing = lost.filter(([name, value]) => now[name] !== value).map(([name]) => name);
  if (missing.length > 0) throw notMade(`block ${id} lost its attributes ${missing.join(", ")}`);
}

function notMade(what: string): KernelError {
  return refused(
    "not_made",
    `SiYuan reported success, but ${what}. All writes of this call were undone. Read the blocks again, and check that the text is valid Markdown at this position.`,
  );
}
