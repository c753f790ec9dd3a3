import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { corpus } from "../../../bench/repair/corpus.ts";
import { corruptions } from "../../../bench/repair/corruptions.ts";
import { parseArguments } from "../src/arguments/parse.ts";
import { prepareArguments } from "../src/arguments/prepare-arguments.ts";
import type { JsonObject, JsonSchema } from "../src/model/json.ts";
import { toolCall } from "./random-call.ts";

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

/** Lossless, and yet with two readings, so that nobody can know which was meant. */
const twoReadings: readonly { readonly tool: string; readonly text: string }[] = [
  // One list of two, or two lists of one.
  { tool: "lists", text: '"grid":[1,2.5]' },
];

for (const { name, isLossless, apply } of corruptions) {
  test(`${name}: ${isLossless ? "restored exactly" : "refused"}, throughout the corpus`, () => {
    let corrupted = 0;
    for (const tool of corpus) {
      for (const call of tool.calls) {
        for (const text of apply(call, tool.optional)) {
          const outcome = outcomeOf(text, tool.schema);
          const title = `${tool.name}: ${text} became ${JSON.stringify(outcome)}`;
          // Where the corrupted call is valid too it says something else, and is taken at its word.
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
    assert.ok(corrupted >= 8, `only ${corrupted} calls were corrupted`);
  });
}

test("the corpus's calls are valid, and pass unchanged", () => {
  for (const { name, schema, calls } of corpus) {
    for (const call of calls) {
      const outcome = outcomeOf(JSON.stringify(call), schema);
      assert.deepEqual(outcome, { status: "accepted", args: call, repairs: [] }, name);
    }
  }
});

for (const { name, isLossless, apply } of corruptions) {
  test(`${name}: exactly restored or refused, for any schema`, () => {
    fc.assert(
      fc.property(toolCall, ({ schema, call, optional }) => {
        for (const text of apply(call, optional)) {
          const outcome = outcomeOf(text, schema);
          const title = `${text} became ${JSON.stringify(outcome)}`;
          if (outcome.status === "refused") assertActionable(outcome, title);
          else if (outcome.repairs.length === 0)
            assert.deepEqual(outcome.args, JSON.parse(text), title);
          else if (isLossless) assert.deepEqual(outcome.args, call, title);
          // An object in place of a list of such objects is a lone value, whatever was meant.
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

/** Says where, or what is wrong with the text, and what to do. */
function assertActionable(outcome: Outcome, title: string): void {
  if (outcome.status !== "refused") return;
  assert.match(outcome.message, /\n- (?:\/|the arguments)|^The arguments are/, title);
  assert.match(outcome.message, /Correct these and call again\.$|Send one JSON object/, title);
}
