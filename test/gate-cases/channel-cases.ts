import type { CaseCall } from "./gate-case.ts";

/** Calls of one round, and the output of a reader that shows one call at a time. */
export interface ChannelCase {
  readonly name: string;
  readonly order: "start" | "first-output";
  readonly calls: readonly CaseCall[];
  readonly expected: ChannelOutcome;
}

export interface ChannelOutcome {
  readonly status: string;
  readonly heard: string;
}

const says = (words: readonly string[], rest: { readonly [key: string]: number } = {}) => ({
  tool: "Says",
  args: { words, ...rest },
});

export const channelCases: readonly ChannelCase[] = [
  {
    name: "concurrent output of calls is sent one call after another, in start order",
    order: "start",
    calls: [says(["a", "b", "c"], { ms: 4 }), says(["1", "2", "3"]), says(["x", "y"], { ms: 1 })],
    expected: { status: "completed", heard: "abc123xy" },
  },
  {
    name: "concurrent output of calls can also be sent in the order of their first output",
    order: "first-output",
    calls: [says(["a", "b"], { after: 20 }), says(["1", "2", "3"], { ms: 2 })],
    expected: { status: "completed", heard: "123ab" },
  },
  {
    name: "a failed call keeps its output and delays no other call",
    order: "start",
    calls: [{ tool: "Gasps" }, says(["1", "2"])],
    expected: { status: "completed", heard: "ah12" },
  },
];
