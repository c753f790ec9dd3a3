import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { root, runCommand } from "../scripts/command.ts";

// The arrows between the packages are regular expressions in .oxlintrc.json, and the linter says
// nothing of one it cannot read. So each is tried here on imports that break it.

/** A place in the tree → what may be imported there, and what may not. */
const arrows = {
  "packages/core/src/tool/NAME.ts": {
    may: ["typebox", "@noble/hashes/sha2.js", "../model/json.ts"],
    mayNot: [
      "fs",
      "node:fs",
      "fs/promises",
      "@capstan/server",
      "capstan",
      "../../../server/src/a.ts",
    ],
  },
  "packages/core/src/tool/NAME.test.ts": {
    may: ["node:fs", "fast-check"],
    mayNot: ["@capstan/models", "capstan"],
  },
  "packages/models/src/NAME.ts": {
    may: ["@capstan/core", "@capstan/core/testing", "node:fs"],
    mayNot: ["@capstan/server", "@capstan/toolkit", "../../core/src/index.ts"],
  },
  "packages/toolkit/src/NAME.ts": {
    may: ["@capstan/core", "undici"],
    mayNot: ["@capstan/models", "@capstan/contract", "capstan"],
  },
  "packages/server/src/NAME.ts": {
    may: ["@capstan/core", "hono"],
    mayNot: ["@capstan/models", "@capstan/toolkit", "@capstan/web", "capstan"],
  },
  "packages/web/src/NAME.ts": {
    may: ["solid-js", "../server/a.ts"],
    mayNot: ["@capstan/contract", "@capstan/server", "@capstan/core"],
  },
  "packages/cli/src/NAME.ts": {
    may: ["@capstan/server", "@capstan/toolkit", "./b.ts"],
    mayNot: ["../../server/src/index.ts"],
  },
};

interface Import {
  readonly path: string;
  readonly source: string;
  readonly text: string;
  readonly allowed: boolean;
}

const imports: readonly Import[] = Object.entries(arrows).flatMap(([place, { may, mayNot }]) =>
  [...may, ...mayNot].map((source, index) => ({
    path: place.replace("NAME", `case-${index}`),
    source,
    text: `import { x } from "${source}";\nexport const y = x;\n`,
    allowed: may.includes(source),
  })),
);

const typesOfTheContract: Import = {
  path: "packages/web/src/types.ts",
  source: "types of @capstan/contract",
  text: 'import type { X } from "@capstan/contract";\nexport type Y = X;\n',
  allowed: true,
};

let folder: string;
let refused: ReadonlySet<string>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-arrows-"));
  await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const { path, text } of [...imports, typesOfTheContract]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const oxlint = join(root, "node_modules/.bin/oxlint");
  const { output } = await runCommand(oxlint, ["-f", "unix"], { cwd: folder });
  assert.match(output, /\d+ problems/, "the linter ran");
  const found = output.matchAll(/^(\S+?):\d+:\d+: .*no-restricted-imports/gm);
  refused = new Set(Array.from(found, ([, path]) => path ?? ""));
});

after(() => rm(folder, { recursive: true, force: true }));

for (const { path, source, allowed } of [...imports, typesOfTheContract]) {
  test(`${dirname(path)} ${allowed ? "may" : "may not"} import ${source}`, () => {
    assert.equal(refused.has(path), !allowed);
  });
}
