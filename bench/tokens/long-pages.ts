import { defineTool } from "@capstan/core";
import type { ScriptedAnswer } from "@capstan/core/testing";
import { z } from "zod";
import type { Column } from "./column.ts";
import { prose } from "./text.ts";
import { plain, type Workload } from "./workload.ts";

const pageChars = 40_000;
/** The part of a long result that the gate shows: its head and its tail. */
const shownHead = 6_400;
const names = ["north", "east", "west"];
const pages = new Map(names.map((name, n) => [name, prose(n + 1, pageChars)]));

const fetchPage = defineTool({
  ...plain,
  name: "FetchPage",
  description: "Fetches a page of the handbook as text.",
  parameters: z.object({
    page: z.string().describe("Its name."),
    start: z.number().int().optional().describe("First character, from 0."),
  }),
  execute: ({ page, start = 0 }) => (pages.get(page) ?? "").slice(start),
});

/**
 * Reads three long pages and answers, then answers five further questions. Two of them need a page
 * again.
 */
export const longPages: Workload = {
  name: "three long pages, five questions more",
  instructions: "You answer questions about a harbour's handbook. Read before you answer.",
  tools: [fetchPage],
  turns: [
    {
      user: "Read the pages north, east and west, and tell me how they differ.",
      steps: (column) => [
        {
          text: "I read the three pages.",
          calls: names.map((page) => ({ name: "FetchPage", args: { page } })),
        },
        ...restOf(column),
        prose(11, 1_500),
      ],
    },
    { user: "Which of them is the strictest?", steps: () => [prose(12, 500)] },
    {
      user: "What does the east page say of the watch? Quote it.",
      steps: (column) => [...again(column, [{ page: 1, start: 16_000 }]), prose(13, 700)],
    },
    { user: "Put that in one sentence.", steps: () => [prose(14, 160)] },
    {
      user: "Compare what north and west say of repairs.",
      steps: (column) => [
        ...again(column, [
          { page: 0, start: 8_000 },
          { page: 2, start: 24_000 },
        ]),
        prose(15, 900),
      ],
    },
    { user: "Thank you. A title for all this, please.", steps: () => [prose(16, 60)] },
  ],
};

/**
 * The model reads the rest of truncated results: all of it, because the question is about whole
 * pages.
 */
function restOf({ cut, variables }: Column): readonly ScriptedAnswer[] {
  if (!cut) return [];
  if (variables) {
    const length = pageChars - shownHead;
    const read = (n: number) => ({
      name: "ReadVar",
      args: { name: `FetchPage_${n}`, start: shownHead, length },
    });
    return [{ text: "They go on.", calls: [1, 2, 3].map(read) }];
  }
  const rounds: ScriptedAnswer[] = [];
  for (let start = shownHead; start < pageChars - 1_600; start += shownHead)
    rounds.push({ calls: names.map((page) => ({ name: "FetchPage", args: { page, start } })) });
  return rounds;
}

/**
 * A page of an earlier turn is either still in the request, or is read again by its name in the
 * log.
 */
function again(
  { history }: Column,
  wanted: readonly { readonly page: number; readonly start: number }[],
): readonly ScriptedAnswer[] {
  if (history === "full") return [];
  return [
    {
      calls: wanted.map(({ page, start }) => ({
        name: "ReadVar",
        args: { name: `FetchPage_${page + 1}`, start },
      })),
    },
  ];
}
