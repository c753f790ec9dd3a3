import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type CompiledSchema, compileSchema } from "../src/arguments/validator.ts";
import type { JsonSchema } from "../src/base/json.ts";
import { loadSchemaChecks } from "../src/arguments/schema-checks.ts";

await loadSchemaChecks();

const folder = join(import.meta.dirname, "json-schema-test-suite");
const drafts: { readonly [folder: string]: string } = {
  draft7: "http://json-schema.org/draft-07/schema#",
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/**
 * The parts of the suite that are not supported: groups and tests whose description matches, in
 * files that match. Each entry must match a test that fails.
 */
const unclaimed: readonly { file: RegExp; group?: RegExp; test?: RegExp; reason: string }[] = [
  {
    file: /refRemote|optional\/cross-draft/,
    reason: "nothing is fetched, so a schema that refers to another document is rejected",
  },
  {
    file: /definitions|defs|\/ref/,
    group: /metaschema|^remote ref/,
    reason: "nothing is fetched, not even the meta-schemas",
  },
  {
    file: /2020-12\/dynamicRef/,
    group: /strict-tree|dynamic anchor and reference link|independent of order|detached/,
    reason: "these dynamic references start in another document",
  },
  {
    file: /2020-12\/format\.json/,
    test: /only an annotation/,
    reason: "a format that is known is enforced, in both drafts",
  },
  {
    file: /vocabulary/,
    group: /no validation/,
    reason: "a custom meta-schema is ignored",
  },
  {
    file: /draft7\/optional\/content/,
    reason: "optional: contentEncoding and contentMediaType are not enforced",
  },
  {
    file: /optional\/format\/iri\.json/,
    test: /IPvFuture/,
    reason: "optional: addresses of a future IP version in an iri are not known",
  },
  {
    file: /optional\/(?:unknownKeyword|refOfUnknownKeyword)/,
    group: /unknown keyword is not a real identifier|known non-applicator/,
    reason:
      "optional: the meaning of identifiers in unknown keywords and of references into examples",
  },
];

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonSchema | boolean;
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

// Contract: executor-3
test("the JSON Schema test suite passes in both drafts, except for the unsupported parts", async (t) => {
  for (const [draft, $schema] of Object.entries(drafts)) {
    await t.test(draft, () => {
      const files = globSync(`${draft}/**/*.json`, { cwd: folder }).toSorted();
      let passed = 0;
      const failed: string[] = [];
      for (const file of files) {
        for (const group of JSON.parse(readFileSync(join(folder, file), "utf8")) as SuiteGroup[]) {
          const compiled = compileSchema(withDraft(group.schema, $schema));
          for (const { description, data, valid } of group.tests) {
            const title = `${file}: ${group.description}: ${description}`;
            if (isValid(compiled, data) === valid) passed += 1;
            else if (!isUnclaimed(file, group.description, description)) failed.push(title);
          }
        }
      }
      assert.deepEqual(failed, []);
      assert.ok(passed > 1600, `only ${passed} passed`);
    });
  }
});

test("each unsupported part of the suite fails", () => {
  assert.deepEqual(
    unclaimed.filter((entry) => !used.has(entry)).map(({ reason }) => reason),
    [],
  );
});

const used = new Set<(typeof unclaimed)[number]>();

function isUnclaimed(file: string, group: string, description: string): boolean {
  const entry = unclaimed.find(
    (candidate) =>
      candidate.file.test(file) &&
      (candidate.group?.test(group) ?? true) &&
      (candidate.test?.test(description) ?? true),
  );
  if (entry) used.add(entry);
  return entry !== undefined;
}

/** A rejected schema has no verdict, which is never the right answer. */
function isValid(compiled: CompiledSchema, data: unknown): boolean | undefined {
  return compiled.status === "compiled"
    ? compiled.validator.validate(data).length === 0
    : undefined;
}

function withDraft(schema: JsonSchema | boolean, $schema: string): JsonSchema | boolean {
  return typeof schema === "boolean" || "$schema" in schema ? schema : { $schema, ...schema };
}
