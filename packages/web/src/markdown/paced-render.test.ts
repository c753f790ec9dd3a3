import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { pacedRender } from "./paced-render.ts";

/** A text with a chosen rendering time, and a mocked clock. */
function paced(context: TestContext) {
  const { timers } = context.mock;
  timers.enable({ apis: ["setTimeout"] });
  const text = { took: 0, time: 0, renderings: 0 };
  const render = () => {
    text.time += text.took;
    text.renderings += 1;
  };
  const { changed, stop } = pacedRender(render, () => text.time);
  const pass = (ms: number) => {
    text.time += ms;
    timers.tick(ms);
  };
  return { text, changed, stop, pass };
}

test("a text that renders quickly is rendered after each change", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 3;
  for (let change = 0; change < 10; change++) {
    changed(true);
    pass(16);
  }
  assert.equal(text.renderings, 10);
});

test("rendering a long, growing text uses at most one fifth of the time", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 100;
  for (let frame = 0; frame < 1_000; frame++) {
    changed(true);
    pass(10);
  }
  const share = (text.renderings * text.took) / text.time;
  assert.ok(share > 0.15 && share <= 0.21, `${share}`);
});

test("text that arrives during a pause is rendered once, after the pause", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 100;
  changed(true);
  for (let change = 0; change < 5; change++) changed(true);
  assert.equal(text.renderings, 1);
  pass(400);
  assert.equal(text.renderings, 2);
  pass(1_000);
  assert.equal(text.renderings, 2);
});

test("a complete text is rendered immediately, and not again after the pause", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 100;
  changed(true);
  changed(true);
  changed(false);
  assert.equal(text.renderings, 2);
  pass(1_000);
  assert.equal(text.renderings, 2);
});

test("a removed text is no longer rendered", (context) => {
  const { text, changed, stop, pass } = paced(context);
  text.took = 100;
  changed(true);
  changed(true);
  stop();
  pass(1_000);
  assert.equal(text.renderings, 1);
});
