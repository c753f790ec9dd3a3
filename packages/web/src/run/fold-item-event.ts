import { newCall, type CallState } from "./call-state.ts";
import {
  type Block,
  type ItemTarget,
  omit,
  type RunState,
  type TextBlock,
  updateCall,
} from "./run-state.ts";
import type { RunEventOf } from "./run-event.ts";

type ItemEvent = RunEventOf<"item.start"> | RunEventOf<"item.delta"> | RunEventOf<"item.end">;

/** The maximum number of characters of a tool's live output. The result contains all of it. */
export const outputTailLength = 65_536;

/**
 * Applies an event of a streamed item: a message, reasoning, a call's arguments, a tool's output.
 */
export function foldItemEvent(state: RunState, event: ItemEvent): RunState {
  if (event.type === "item.start") return startItem({ ...state, retry: null }, event);
  const target = state.items[event.itemId];
  if (target === undefined) return state;
  if (event.type === "item.delta") {
    return changeText(state, event.itemId, target, (text) => text + event.delta);
  }
  const closed = changeText(state, event.itemId, target, () => event.text);
  const items = omit(closed.items, event.itemId);
  if (target.type !== "text") return { ...closed, items };
  const close = (block: TextBlock): TextBlock => ({
    ...block,
    open: false,
    incomplete: event.incomplete ?? false,
  });
  return { ...closed, items, blocks: changeTextBlock(closed.blocks, event.itemId, close) };
}

function startItem(state: RunState, event: RunEventOf<"item.start">): RunState {
  const { itemId } = event;
  switch (event.kind) {
    case "text":
    case "reasoning": {
      const block: Block = {
        type: event.kind,
        id: itemId,
        text: "",
        open: true,
        incomplete: false,
        isVoid: false,
      };
      return {
        ...state,
        blocks: [...state.blocks, block],
        items: { ...state.items, [itemId]: { type: "text" } },
      };
    }
    case "arguments": {
      const items = {
        ...state.items,
        [itemId]: { type: "arguments", callId: event.callId } as const,
      };
      if (state.calls[event.callId] !== undefined) return { ...state, items };
      const call: CallState = { ...newCall(event.callId, event.name), phase: "writing" };
      return {
        ...state,
        items,
        blocks: [...state.blocks, { type: "call", id: event.callId }],
        calls: { ...state.calls, [event.callId]: call },
      };
    }
    case "output": {
      const items = { ...state.items, [itemId]: { type: "output", callId: event.callId } as const };
      return updateCall({ ...state, items }, event.callId, (call) => ({
        ...call,
        outputs: [...call.outputs, { id: itemId, text: "" }],
      }));
    }
  }
}

function changeText(
  state: RunState,
  itemId: string,
  target: ItemTarget,
  change: (text: string) => string,
): RunState {
  switch (target.type) {
    case "text":
      return {
        ...state,
        blocks: changeTextBlock(state.blocks, itemId, (block) => ({
          ...block,
          text: change(block.text),
        })),
      };
    case "arguments":
      return updateCall(state, target.callId, (call) =>
        // The proposed arguments are final; a late delta does not change them.
        call.phase === "writing" ? { ...call, argumentsText: change(call.argumentsText) } : call,
      );
    case "output":
      return updateCall(state, target.callId, (call) => ({
        ...call,
        outputs: call.outputs.map((output) =>
          output.id === itemId
            ? { ...output, text: change(output.text).slice(-outputTailLength) }
            : output,
        ),
      }));
  }
}

function changeTextBlock(
  blocks: readonly Block[],
  id: string,
  change: (block: TextBlock) => TextBlock,
): readonly Block[] {
  const index = blocks.findLastIndex((block) => block.type !== "call" && block.id === id);
  const block = blocks[index];
  return block === undefined || block.type === "call" ? blocks : blocks.with(index, change(block));
}
