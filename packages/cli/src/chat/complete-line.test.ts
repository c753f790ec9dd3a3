import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Client } from "@capstan/client";
import { createCompletion } from "./complete-line.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-complete-"));
  await mkdir(join(folder, "data"));
  await Promise.all(
    ["notes.md", "my notes.md", ".env", "data/sales.csv", "a\u001B]0;x\u0007", "b\nc"].map((name) =>
      writeFile(join(folder, name), ""),
    ),
  );
});
after(() => rm(folder, { recursive: true }));

const client = {
  models: async () => [{ id: "capstan/offline" }, { id: "openai/gpt-5.5" }],
  toolGroups: async () => [{ tools: [{ name: "ListFiles" }, { name: "ViewFile" }] }],
} as unknown as Pick<Client, "models" | "toolGroups">;

const cases: readonly (readonly [line: string, ...candidates: readonly string[]])[] = [
  ["/mo", "/model "],
  ["/Li", "/ListFiles "],
  ["/model op", "openai/gpt-5.5"],
  ["/tools View", "ViewFile"],
  ["Read @no", "@notes.md "],
  ["Read @my", '@"my notes.md" '],
  ['Read @"my n', '@"my notes.md" '],
  ["@data", "@data/"],
  ["@data/s", "@data/sales.csv "],
  ["@.e", "@.env "],
  ["@a"],
  ["@b"],
  ["Read @", "@data/", '@"my notes.md" ', "@notes.md "],
  ["mail me@no"],
  ["hello"],
  ["@missing/x"],
];

for (const [line, ...candidates] of cases) {
  test(`"${line}" completes to ${candidates.join(", ") || "nothing"}`, async () => {
    const complete = createCompletion({ client, folder });
    assert.deepEqual((await complete(line)).candidates, candidates);
  });
}
