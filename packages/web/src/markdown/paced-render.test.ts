import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { pacedRender } from "./paced-render.ts";

/** A text whose rendering takes as long as the test says, in time that passes when it says so. */
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

test("a text that is quickly rendered is rendered at each change", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 3;
  for (let change = 0; change < 10; change++) {
    changed(true);
    pass(16);
  }
  assert.equal(text.renderings, 10);
});

test("of the time, a long text that grows takes one part in five", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 100;
  for (let frame = 0; frame < 1_000; frame++) {
    changed(true);
    pass(10);
  }
  const share = (text.renderings * text.took) / text.time;
  assert.ok(share > 0.15 && share <= 0.21, `${share}`);
});

test("text that arrives during a rest is rendered after it, once", (context) => {
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

test("a text that is whole is rendered at once, and not again after the rest", (context) => {
  const { text, changed, pass } = paced(context);
  text.took = 100;
  changed(true);
  changed(true);
  changed(false);
  assert.equal(text.renderings, 2);
  pass(1_000);
  assert.equal(text.renderings, 2);
});

test("a text that goes is not rendered any more", (context) => {
  const { text, changed, stop, pass } = paced(context);
  text.took = 100;
  changed(true);
  changed(true);
  stop();
  pass(1_000);
  assert.equal(text.renderings, 1);
});
