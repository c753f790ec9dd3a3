import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HostedStages, hostedFamily } from "./hosted-stages.ts";

const names = (events: readonly { readonly name: string }[]) => events.map(({ name }) => name);
const event = (name: string, data = {}) => ({ name, data });

// Contract: plugins-84
test("missing stages are added, and late ones are dropped", () => {
  const stages = new HostedStages();
  const image = { type: "image" };
  const partial = stages.take(event("image_generation.partial_image", { image }));
  assert.deepEqual(names(partial), [
    "image_generation.in_progress",
    "image_generation.generating",
    "image_generation.partial_image",
  ]);
  assert.deepEqual(partial.at(-1)?.data, { image, index: 0 });
  assert.deepEqual(names(stages.take(event("image_generation.in_progress"))), []);
  const [second] = stages.take(event("image_generation.partial_image"));
  assert.deepEqual(second?.data, { index: 1 });
  assert.deepEqual(names(stages.end()), ["image_generation.completed"]);
  assert.deepEqual(names(stages.take(event("image_generation.partial_image"))), []);
});

test("a tool of a hosted type has all stages, whatever it reports", () => {
  const silent = new HostedStages("web_search_preview_2025_03_11");
  assert.deepEqual(names(silent.end()), [
    "web_search.in_progress",
    "web_search.searching",
    "web_search.completed",
  ]);
  const code = new HostedStages("code_interpreter");
  assert.deepEqual(names(code.take(event("code_interpreter.code", { delta: "1" }))), [
    "code_interpreter.in_progress",
    "code_interpreter.code",
  ]);
  assert.deepEqual(names(code.end()), [
    "code_interpreter.interpreting",
    "code_interpreter.completed",
  ]);
});

test("other events are unchanged, and other types have no stages", () => {
  const stages = new HostedStages("mcp");
  for (const name of [
    "own.in_progress",
    "image_generation",
    "image_generation.other",
    "toString.x",
  ])
    assert.deepEqual(stages.take(event(name)), [event(name)]);
  assert.deepEqual(stages.end(), []);
  assert.equal(hostedFamily("constructor"), undefined);
  assert.equal(hostedFamily("file_search"), "file_search");
});

test("any events become the stages in their order, each once", () => {
  const own = ["in_progress", "generating", "partial_image", "completed"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...own)), (given) => {
      const stages = new HostedStages("image_generation");
      const shown = [
        ...given.flatMap((name) => stages.take(event(`image_generation.${name}`))),
        ...stages.end(),
      ].map(({ name }) => name.split(".")[1]);
      assert.match(shown.join(" "), /^in_progress generating (?:partial_image )*completed$/);
    }),
  );
});
