import type { CaseCall } from "./gate-case.ts";

/** Calls of one round, and what a reader who can hear one speaker at a time hears. */
export interface ChannelCase {
  readonly name: string;
  readonly order: "start" | "first-to-speak";
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
    name: "calls that speak at once are heard one after the other, as they started",
    order: "start",
    calls: [says(["a", "b", "c"], { ms: 4 }), says(["1", "2", "3"]), says(["x", "y"], { ms: 1 })],
    expected: { status: "completed", heard: "abc123xy" },
  },
  {
    name: "or as they first spoke",
    order: "first-to-speak",
    calls: [says(["a", "b"], { after: 20 }), says(["1", "2", "3"], { ms: 2 })],
    expected: { status: "completed", heard: "123ab" },
  },
  {
    name: "a call that fails keeps what it said and holds up nobody",
    order: "start",
    calls: [{ tool: "Gasps" }, says(["1", "2"])],
    expected: { status: "completed", heard: "ah12" },
  },
];
