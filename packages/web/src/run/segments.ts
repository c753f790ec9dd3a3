import type { Block, TextBlock } from "./run-state.ts";

/** A part of a turn: text of the model, or adjacent calls. */
export type Segment =
  | { readonly type: "text" | "reasoning" | "void"; readonly block: TextBlock }
  | { readonly type: "calls"; readonly ids: readonly string[] };

/** Returns a turn's blocks with adjacent calls grouped. Omits empty text. */
export function segmentsOf(blocks: readonly Block[]): Segment[] {
  const segments: Segment[] = [];
  for (const block of blocks) {
    const last = segments.at(-1);
    if (block.type === "call") {
      if (last?.type === "calls")
        segments[segments.length - 1] = { type: "calls", ids: [...last.ids, block.id] };
      else segments.push({ type: "calls", ids: [block.id] });
    } else if (block.text.trim() !== "") {
      segments.push({ type: block.isVoid ? "void" : block.type, block });
    }
  }
  return segments;
}
