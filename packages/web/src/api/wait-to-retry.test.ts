import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { retryNow, waitToRetry } from "./wait-to-retry.ts";

const never = new AbortController().signal;

/** Runs a test with a mocked clock. */
function timed(body: (clock: TestContext["mock"]["timers"]) => Promise<void>) {
  return (context: TestContext) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    return body(context.mock.timers);
  };
}

/** Starts a pause of 1.5 s with its own page events. */
function begin(signal = never) {
  const document = { visibilityState: "hidden" as DocumentVisibilityState };
  const page = Object.assign(new EventTarget(), { document });
  let isOver = false;
  void waitToRetry(1_500, signal, page).then(() => (isOver = true));
  return {
    see: (event: string) => void page.dispatchEvent(new Event(event)),
    document,
    async isOver() {
      await Promise.resolve();
      return isOver;
    },
  };
}

test(
  "a pause lasts its full time if no event happens",
  timed(async (clock) => {
    const one = begin();
    clock.tick(1_499);
    assert.equal(await one.isOver(), false);
    clock.tick(1);
    assert.equal(await one.isOver(), true);
  }),
);

for (const sign of ["online", "focus", "pointerdown", "keydown"]) {
  test(
    `a pause ends at ${sign}`,
    timed(async (clock) => {
      const one = begin();
      clock.tick(300);
      assert.equal(await one.isOver(), false);
      one.see(sign);
      assert.equal(await one.isOver(), true);
    }),
  );
}

test(
  "a pause ends when the page is shown, not when it is hidden",
  timed(async (clock) => {
    const one = begin();
    clock.tick(300);
    one.see("visibilitychange");
    assert.equal(await one.isOver(), false);
    one.document.visibilityState = "visible";
    one.see("visibilitychange");
    assert.equal(await one.isOver(), true);
  }),
);

test(
  "typing causes at most five attempts per second",
  timed(async (clock) => {
    const one = begin();
    one.see("keydown");
    clock.tick(199);
    assert.equal(await one.isOver(), false);
    clock.tick(1);
    assert.equal(await one.isOver(), true);
  }),
);

test(
  "retryNow ends all pauses, and an abort ends its own pause",
  timed(async () => {
    const abort = new AbortController();
    const [one, other, aborted] = [begin(), begin(), begin(abort.signal)];
    abort.abort();
    assert.deepEqual([await one.isOver(), await aborted.isOver()], [false, true]);
    retryNow();
    assert.deepEqual([await one.isOver(), await other.isOver()], [true, true]);
    assert.equal(await begin(AbortSignal.abort()).isOver(), true);
  }),
);
