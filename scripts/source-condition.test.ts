import assert from "node:assert/strict";
import { test } from "node:test";
import {
  sourceCondition,
  withoutSourceCondition,
  withSourceCondition,
} from "./source-condition.ts";

test("the condition is added once, to the existing options", () => {
  const env = withSourceCondition({ NODE_OPTIONS: "--no-warnings" });
  assert.equal(env["NODE_OPTIONS"], `--no-warnings ${sourceCondition}`);
  assert.equal(withSourceCondition(env), env);
  assert.equal(withSourceCondition({})["NODE_OPTIONS"], sourceCondition);
});

test("the condition is removed, also from the options that npm passes on", () => {
  const env = withoutSourceCondition({
    NODE_OPTIONS: `${sourceCondition} --no-warnings`,
    npm_config_node_options: sourceCondition,
  });
  assert.deepEqual(env, { NODE_OPTIONS: "--no-warnings", npm_config_node_options: undefined });
});
