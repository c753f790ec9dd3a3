import { chatTexts } from "../texts/chat.ts";

/** A suggested prompt: the title of its button and the message that it sends. */
export interface PromptSuggestion {
  readonly title: string;
  readonly text: string;
  /** Names of the required tools. */
  readonly needs: readonly string[];
}

const texts = chatTexts.suggestions;

/** Suggestions for the offline model, which accepts commands. */
const commands = (): readonly PromptSuggestion[] => [
  { ...texts.listFolder, needs: ["ListFiles"] },
  { ...texts.severalCommands, needs: ["ListFiles", "DateTime", "ListVars"] },
  { ...texts.fetchCommand, needs: ["FetchWebPage"] },
  { ...texts.help, needs: [] },
];

/** Suggestions for models that understand sentences. */
const sentences = (): readonly PromptSuggestion[] => [
  { ...texts.explore, needs: ["ListFiles"] },
  { ...texts.readPage, needs: ["FetchWebPage"] },
  { ...texts.several, needs: ["FindFiles", "DateTime"] },
  { ...texts.tools, needs: [] },
  { ...texts.plan, needs: [] },
  { ...texts.explain, needs: [] },
];

/** Returns up to three suggestions that need only enabled tools. */
export function promptSuggestions(
  isOffline: boolean,
  tools: ReadonlySet<string>,
): PromptSuggestion[] {
  const possible = (isOffline ? commands() : sentences()).filter(({ needs }) =>
    needs.every((name) => tools.has(name)),
  );
  if (!isOffline) return possible.slice(0, 3);
  // Always include the help.
  return [...possible.slice(0, -1).slice(0, 2), ...possible.slice(-1)];
}
