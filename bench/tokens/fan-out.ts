import { defineTool } from "@capstan/core";
import { z } from "zod";
import { prose, sentence, sequence } from "./text.ts";
import { plain, type Workload } from "./workload.ts";

const subjects = Array.from({ length: 30 }, (_, n) =>
  sentence(sequence(100 + n))
    .split(" ")
    .slice(0, 4)
    .join(" ")
    .toLowerCase(),
);

const search = defineTool({
  ...plain,
  name: "Search",
  description: "Searches the archive; returns titles, addresses and excerpts.",
  parameters: z.object({ query: z.string() }),
  execute: ({ query }) => hits(subjects.indexOf(query)),
});

function hits(seed: number) {
  const next = sequence(200 + seed);
  return Array.from({ length: 8 }, (_, n) => ({
    title: sentence(next),
    url: `https://archive.example/${seed}/${n}`,
    excerpt: `${sentence(next)} ${sentence(next)}`,
  }));
}

/** Thirty parallel searches, a summary of their results, and a further question. */
export const fanOut: Workload = {
  name: "30 searches, a summary",
  instructions: "You research in an archive and summarise what you find.",
  tools: [search],
  turns: [
    {
      user: `Search for each of these, then summarise: ${subjects.join("; ")}.`,
      steps: () => [
        {
          text: "I search for all of them.",
          calls: subjects.map((query) => ({ name: "Search", args: { query } })),
        },
        prose(31, 3_000),
      ],
    },
    { user: "Shorten the summary to two paragraphs.", steps: () => [prose(32, 900)] },
  ],
};
