import type { RunState } from "./run-state.ts";

/** Returns the text of a run's answer as Markdown, without reasoning and void text. */
export function answerOf(state: RunState): string {
  const texts = state.blocks.flatMap((block) =>
    block.type === "text" && !block.isVoid ? [block.text.trim()] : [],
  );
  return texts.filter((text) => text !== "").join("\n\n");
}
