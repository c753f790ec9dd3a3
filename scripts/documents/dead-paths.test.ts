import assert from "node:assert/strict";
import { test } from "node:test";
import { deadPaths, type Repository } from "./dead-paths.ts";

const files = ["docs/guide.md", "docs/images/a.png", "packages/core/src/chain/log/turn-log.ts"];
const repository: Repository = {
  has: (path) => files.some((file) => file === path || file.startsWith(`${path}/`)),
  hasFileNamed: (name) => files.some((file) => file.endsWith(`/${name}`)),
  packages: ["core"],
};
const dead = (text: string) => deadPaths(text, "docs/page.md", repository).map(({ path }) => path);

test("links and paths that exist are accepted", () => {
  const text = [
    "[guide](guide.md#part) ![a](images/a.png) [up](../docs/guide.md) [web](https://a.example/b)",
    "`packages/core/src/chain/` `core/chain/log` `core/chain/log/turn-log.ts` `turn-log.ts`",
    "`x.test.ts` `secrets/**` `provider/model` `weather.py` `a b/c.ts`",
  ];
  assert.deepEqual(dead(text.join("\n")), []);
});

test("a link to no file is reported with its line", () => {
  const [problem] = deadPaths("ok\n[gone](gone.md#x)", "docs/page.md", repository);
  assert.deepEqual(problem, { line: 2, path: "gone.md#x", reason: "the link leads to no file" });
});

test("paths that name no file or folder are reported", () => {
  assert.deepEqual(dead("`packages/core/src/executor`"), ["packages/core/src/executor"]);
  assert.deepEqual(dead("`core/executor`"), ["core/executor"]);
  assert.deepEqual(dead("`take-ups.ts`"), ["take-ups.ts"]);
  assert.deepEqual(dead("`log/turn-log.ts`"), ["log/turn-log.ts"]);
});

test("fenced code is left out", () => {
  assert.deepEqual(dead("```ts\n`gone.ts` [a](gone.md)\n```\n`gone.ts`"), ["gone.ts"]);
});
