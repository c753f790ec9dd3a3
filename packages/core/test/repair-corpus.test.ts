import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { corpus } from "../../../bench/repair/corpus.ts";
import { corruptions } from "../../../bench/repair/corruptions.ts";
import { parseArguments, prepareArguments } from "../src/arguments/prepare-arguments.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../src/base/json.ts";
import { toolCall } from "./random-call.ts";
import { reportedArguments } from "./reported-arguments.ts";
import { loadSchemaChecks } from "../src/arguments/schema-checks.ts";

await loadSchemaChecks();

type Outcome =
  | { readonly status: "accepted"; readonly args: JsonObject; readonly repairs: readonly string[] }
  | { readonly status: "refused"; readonly message: string };

function outcomeOf(text: string, schema: JsonSchema): Outcome {
  const parsed = parseArguments(text);
  if (parsed.status === "failed") return { status: "refused", message: parsed.error.message };
  const prepared = prepareArguments(parsed.args, schema);
  return prepared.status === "valid"
    ? {
        status: "accepted",
        args: prepared.args,
        repairs: [...parsed.repairs, ...prepared.repairs],
      }
    : { status: "refused", message: prepared.error.message };
}

/** Lossless corruptions with two possible meanings, so that the original is unknown. */
const twoReadings: readonly { readonly tool: string; readonly text: string }[] = [
  // Can mean one list of two, or two lists of one.
  { tool: "lists", text: '"grid":[1,2.5]' },
];

// Contract: executor-94
test("each corruption in the corpus is restored exactly or rejected", async (t) => {
  for (const { name, isLossless, apply } of corruptions) {
    await t.test(`${name}: ${isLossless ? "restored exactly" : "refused"}`, () => {
      let corrupted = 0;
      for (const tool of corpus) {
        for (const call of tool.calls) {
          for (const text of apply(call, tool.optional)) {
            const outcome = outcomeOf(text, tool.schema);
            const title = `${tool.name}: ${text} became ${JSON.stringify(outcome)}`;
            // If the corrupted call is also valid, it has another meaning, and is accepted
            // unchanged.
            const isUnchanged = outcome.status === "accepted" && outcome.repairs.length === 0;
            if (isUnchanged) {
              assert.deepEqual(outcome.args, JSON.parse(text), title);
              continue;
            }
            corrupted += 1;
            const isUnclear = twoReadings.some(
              (known) => known.tool === tool.name && text.includes(known.text),
            );
            if (isLossless && !isUnclear) {
              assert.equal(outcome.status, "accepted", title);
              assert.deepEqual(outcome.status === "accepted" && outcome.args, call, title);
            } else {
              assert.equal(outcome.status, "refused", title);
              assertActionable(outcome, title);
            }
          }
        }
      }
      assert.ok(corrupted >= 3, `only ${corrupted} calls were corrupted`);
    });
  }
});

test("the corpus's calls are valid, and pass unchanged", () => {
  for (const { name, schema, calls } of corpus) {
    for (const call of calls) {
      const outcome = outcomeOf(JSON.stringify(call), schema);
      assert.deepEqual(outcome, { status: "accepted", args: call, repairs: [] }, name);
    }
  }
});

test("each corruption is restored exactly or rejected, for any schema", async (t) => {
  for (const { name, isLossless, apply } of corruptions) {
    await t.test(name, () => {
      fc.assert(
        fc.property(toolCall, ({ schema, call, optional }) => {
          for (const text of apply(call, optional)) {
            const outcome = outcomeOf(text, schema);
            const title = `${text} became ${JSON.stringify(outcome)}`;
            if (outcome.status === "refused") assertActionable(outcome, title);
            else if (outcome.repairs.length === 0)
              assert.deepEqual(outcome.args, JSON.parse(text), title);
            else if (isLossless) assert.deepEqual(outcome.args, call, title);
            // An object in place of a list of such objects is treated as a single value.
            else
              assert.ok(
                outcome.repairs.every((repair) => repair.endsWith(" to a list")),
                title,
              );
          }
        }),
        { numRuns: 150 },
      );
    });
  }
});

// Contract: executor-92
test("reported arguments run with their intended meaning, or are rejected", () => {
  for (const { source, schema, text, meant } of reportedArguments) {
    const outcome = outcomeOf(text, schema);
    const title = `${source}: ${text} became ${JSON.stringify(outcome)}`;
    if (meant === undefined) assertActionable(outcome, title);
    assert.deepEqual(outcome.status === "accepted" ? outcome.args : undefined, meant, title);
  }
});

test("a valid call of any schema is the same object afterwards", () => {
  fc.assert(
    fc.property(toolCall, ({ schema, call }) => {
      const prepared = prepareArguments(call, schema);
      assert.equal(prepared.status === "valid" && prepared.args, call);
      assert.deepEqual(prepared.status === "valid" && prepared.repairs, []);
      const outcome = outcomeOf(JSON.stringify(call), schema);
      assert.deepEqual(outcome, { status: "accepted", args: call, repairs: [] });
    }),
  );
});

// Contract: executor-94
test("for any arguments and schema, every change is described and keeps the meaning", () => {
  fc.assert(
    fc.property(toolCall, mangled, ({ schema, call }, mangle) => {
      const given = mangle(call);
      const before = JSON.stringify(given);
      const prepared = prepareArguments(given, schema);
      assert.equal(JSON.stringify(given), before, "the input is not modified");
      if (prepared.status === "invalid") return;
      if (prepared.repairs.length === 0) return assert.equal(prepared.args, given);
      assert.deepEqual(
        meaningOf(prepared.args),
        meaningOf(given),
        `${before}: ${prepared.repairs.join(", ")}`,
      );
    }),
    { numRuns: 1_000 },
  );
});

/** A call with some of its values replaced by any value, or written as text. */
const mangled = fc
  .tuple(
    fc.infiniteStream(fc.constantFrom("keep", "keep", "text", "list", "other")),
    fc.infiniteStream(fc.jsonValue({ maxDepth: 2 }).map((value) => value as JsonValue)),
  )
  .map(([choices, others]) => {
    const mangle = (value: JsonValue): JsonValue => {
      const choice = choices.next().value;
      if (choice === "text") return typeof value === "string" ? value : JSON.stringify(value);
      if (choice === "list") return [value];
      if (choice === "other") return others.next().value;
      if (Array.isArray(value)) return (value as readonly JsonValue[]).map(mangle);
      if (typeof value !== "object" || value === null) return value;
      return members(value as JsonObject);
    };
    const members = (object: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [key, mangle(value)]));
    return members;
  });

/**
 * Returns the meaning of a value in any notation: text that is JSON as its value, a list of one as
 * its item, null as nothing.
 */
function meaningOf(value: JsonValue): unknown {
  if (typeof value === "string") {
    const read = jsonIn(value);
    return read === undefined || typeof read === "string" ? value : meaningOf(read);
  }
  if (Array.isArray(value)) {
    const items = (value as readonly JsonValue[]).map(meaningOf);
    return items.length === 1 ? items[0] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value as JsonObject).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([key, member]) => [key, meaningOf(member)]));
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Asserts that an error names the position or the problem of the text, and what to do. */
function assertActionable(outcome: Outcome, title: string): void {
  if (outcome.status !== "refused") return;
  assert.match(outcome.message, /\n- (?:\/|the arguments)|^The arguments are/, title);
  assert.match(outcome.message, /Correct these and call again\.$|Send one JSON object/, title);
}
