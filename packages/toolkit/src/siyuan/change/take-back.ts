import { plainText } from "../blocks/attribute-lists.ts";
import { flush, readChildren, readKramdowns } from "../blocks/read-blocks.ts";
import type { AskKernel } from "../kernel/kernel.ts";
import { refused } from "../kernel/kernel-error.ts";
import { noReply } from "../kernel/replies.ts";
import type { BlockChange } from "./change-record.ts";

/**
 * Undoes the writes of a change, the last one first. Deleted blocks get their former ids.
 *
 * @throws KernelError `changed_since` before the first write, if `isChecked` is set and a block
 * differs from the result of the change
 */
export async function takeBack(
  ask: AskKernel,
  change: BlockChange,
  { isChecked }: { readonly isChecked: boolean },
): Promise<void> {
  await flush(ask);
  if (isChecked) await checkUnchanged(ask, change);
  for (const step of change.steps.toReversed()) {
    switch (step.do) {
      case "update": {
        const [now = ""] = await readKramdowns(ask, [step.id]);
        await remove(ask, step.added ?? (await addedTo(ask, step.container, step.siblings)));
        if (plainText(now) !== plainText(step.before))
          await ask(
            "/api/block/updateBlock",
            { id: step.id, dataType: "markdown", data: step.before },
            noReply,
          );
        break;
      }
      case "insert":
        await remove(ask, step.added ?? (await addedTo(ask, step.container, step.siblings)));
        break;
      case "delete": {
        const [now = ""] = await readKramdowns(ask, [step.id]);
        if (now !== "") break;
        const { previousID, container } = step.place;
        const body = { dataType: "markdown", data: step.before };
        if (previousID !== undefined)
          await ask("/api/block/insertBlock", { ...body, previousID }, noReply);
        else await ask("/api/block/prependBlock", { ...body, parentID: container }, noReply);
      }
    }
  }
  await flush(ask);
  await checkRestored(ask, change);
}

async function remove(ask: AskKernel, blocks: readonly { readonly id: string }[]): Promise<void> {
  for (const { id } of blocks) await ask("/api/block/deleteBlock", { id }, noReply);
}

/** Returns the blocks of a write that was interrupted before it was read back. */
async function addedTo(ask: AskKernel, container: string, siblings: readonly string[]) {
  const known = new Set(siblings);
  return (await readChildren(ask, container)).filter(({ id }) => !known.has(id));
}

/** Throws if a user has changed one of the blocks since. */
async function checkUnchanged(ask: AskKernel, change: BlockChange): Promise<void> {
  // A later step of the same change may have changed a block of an earlier step.
  const expected = new Map<string, string>();
  for (const step of change.steps) {
    if (step.do === "delete") expected.set(step.id, "");
    if (step.do === "update" && step.after !== undefined) expected.set(step.id, step.after);
    if (step.do !== "delete") for (const { id, text } of step.added ?? []) expected.set(id, text);
  }
  const ids = [...expected.keys()];
  const kramdowns = await readKramdowns(ask, ids);
  const other = ids.filter((id, at) => plainText(kramdowns[at] ?? "") !== expected.get(id));
  if (other.length > 0)
    throw refused(
      "changed_since",
      `These blocks have changed since ${change.id}, so it cannot be undone: ${other.join(", ")}. Read them, and edit them with a new diff.`,
    );
}

async function checkRestored(ask: AskKernel, change: BlockChange): Promise<void> {
  const former = new Map<string, string>();
  for (const step of change.steps.toReversed())
    if (step.do !== "insert") former.set(step.id, plainText(step.before));
  const ids = [...former.keys()];
  const kramdowns = await readKramdowns(ask, ids);
  const other = ids.filter((id, at) => plainText(kramdowns[at] ?? "") !== former.get(id));
  if (other.length > 0)
    throw refused(
      "not_restored",
      `The former text of these blocks was not restored: ${other.join(", ")}.`,
    );
}
