import { defineTool } from "@capstan/core";
import type { ScriptedStep } from "@capstan/core/testing";
import { z } from "zod";
import type { Column } from "./column.ts";
import { prose } from "./text.ts";
import { plain, type Workload } from "./workload.ts";

const shownHead = 6_400;
const [before, after] = ["Port: 9000", "Port: 8080"];
const text = prose(21, 51_200);
const middle = text.indexOf("\n\n", 30_000) + 2;
const original = `${text.slice(0, middle)}${before}\n\n${text.slice(middle)}`;
const edited = original.replace(before, after);

const fetchDocument = defineTool({
  ...plain,
  name: "FetchDocument",
  description: "Fetches a document as text.",
  parameters: z.object({
    path: z.string(),
    start: z.number().int().optional().describe("First character, from 0."),
  }),
  execute: ({ start = 0 }) => original.slice(start),
});

const saveDocument = defineTool({
  ...plain,
  name: "SaveDocument",
  description: "Replaces a document's text.",
  parameters: z.object({ path: z.string(), text: z.string() }),
  execute: ({ text: saved }) => {
    if (saved !== edited) throw new Error("This is not the document with one line changed.");
    return "Saved.";
  },
});

const path = "settings.md";

/**
 * Fetches a document of 50 KB, changes one line, and writes it back. The tool requires every byte
 * to match.
 */
export const roundTripEdit: Workload = {
  name: "round-trip edit of 50 KB",
  instructions: "You edit documents. Change what you are asked to change, and nothing else.",
  tools: [fetchDocument, saveDocument],
  textTool: true,
  turns: [
    {
      user: `In ${path}, change the line "${before}" to "${after}".`,
      steps: (column) => [...edit(column), "Done: the line is changed, the rest is as it was."],
    },
  ],
};

function edit({ cut, variables, references }: Column): readonly ScriptedStep[] {
  const fetch = { calls: [{ name: "FetchDocument", args: { path } }] };
  const writeOut = { calls: [{ name: "SaveDocument", args: { path, text: edited } }] };
  if (!cut) return [fetch, writeOut];
  if (references) {
    const replace = {
      operation: "replace",
      text: "$VAR_REF{{FetchDocument_1}}",
      search: before,
      replacement: after,
    };
    return [
      { calls: [{ name: "FetchDocument", args: { path, limit: 200 } }] },
      { calls: [{ name: "Text", args: { ...replace, limit: 200 } }] },
      { calls: [{ name: "SaveDocument", args: { path, text: "$VAR_REF{{Text_2}}" } }] },
    ];
  }
  if (variables) {
    const rest = { name: "FetchDocument_1", start: shownHead, length: 50_000 };
    return [fetch, { calls: [{ name: "ReadVar", args: rest }] }, writeOut];
  }
  const rounds: ScriptedStep[] = [fetch];
  for (let start = shownHead; start < original.length - 1_600; start += shownHead)
    rounds.push({ calls: [{ name: "FetchDocument", args: { path, start } }] });
  return [...rounds, writeOut];
}
