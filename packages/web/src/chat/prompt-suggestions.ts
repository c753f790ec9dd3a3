/** Something to begin with: what the button says, and what it sends. */
export interface PromptSuggestion {
  readonly title: string;
  readonly text: string;
  /** Names of the tools it needs. */
  readonly needs: readonly string[];
}

/** For the offline model, which takes commands. */
const commands: readonly PromptSuggestion[] = [
  { title: "See what is in this folder", text: '/ListFiles {"path":"."}', needs: ["ListFiles"] },
  {
    title: "Run several tools at once",
    text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    needs: ["ListFiles", "DateTime", "ListVars"],
  },
  {
    title: "Ask for a web page",
    text: '/FetchWebPage {"url":"https://example.org/"}',
    needs: ["FetchWebPage"],
  },
  { title: "Learn what the offline model can do", text: "/help", needs: [] },
];

/** For a model that understands sentences. */
const sentences: readonly PromptSuggestion[] = [
  {
    title: "Look around",
    text: "What is in this folder? Look at the most telling files and sum them up in five lines.",
    needs: ["ListFiles"],
  },
  {
    title: "Read a web page",
    text: "Fetch https://example.org and tell me in two sentences what it is for.",
    needs: ["FetchWebPage"],
  },
  {
    title: "Do several things at once",
    text: "Find all Markdown files here, and at the same time tell me what day of the week it is in Tokyo.",
    needs: ["FindFiles", "DateTime"],
  },
  {
    title: "See what it can do",
    text: "Which tools do you have, and what could you do for me with them?",
    needs: [],
  },
  {
    title: "Think along",
    text: "Ask me three questions about what I am working on, then suggest a next step.",
    needs: [],
  },
  {
    title: "Explain something",
    text: "How does a capstan hold a load when the sailors let go of the bars?",
    needs: [],
  },
];

/** Three things to try that can be done with the tools that are on. */
export function promptSuggestions(
  isOffline: boolean,
  tools: ReadonlySet<string>,
): PromptSuggestion[] {
  const possible = (isOffline ? commands : sentences).filter(({ needs }) =>
    needs.every((name) => tools.has(name)),
  );
  if (!isOffline) return possible.slice(0, 3);
  // The help is always among the three.
  return [...possible.slice(0, -1).slice(0, 2), ...possible.slice(-1)];
}
