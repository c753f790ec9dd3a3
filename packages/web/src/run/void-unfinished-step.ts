import { omit } from "./omit.ts";
import type { Block, ItemTarget, RunState } from "./run-state.ts";

/**
 * The model begins its step again: its words since the last finished step are marked void, calls
 * it was still writing go. Calls that were proposed had been said in full, and stay.
 */
export function voidUnfinishedStep(state: RunState): RunState {
  const blocks: Block[] = state.blocks.slice(0, state.finishedBlocks);
  let calls = state.calls;
  for (const block of state.blocks.slice(state.finishedBlocks)) {
    if (block.type !== "call") blocks.push({ ...block, open: false, isVoid: true });
    else if (calls[block.id]?.phase === "writing") calls = omit(calls, block.id);
    else blocks.push(block);
  }
  return {
    ...state,
    blocks,
    calls,
    items: outputsOnly(state.items),
    finishedBlocks: blocks.length,
  };
}

/** A running tool goes on speaking whatever the model does. */
function outputsOnly(items: RunState["items"]): RunState["items"] {
  const kept: { [itemId: string]: ItemTarget } = {};
  for (const [id, target] of Object.entries(items)) if (target.type === "output") kept[id] = target;
  return kept;
}
