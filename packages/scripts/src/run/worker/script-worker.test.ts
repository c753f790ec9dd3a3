import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { ProgramEnd, Sandbox } from "@capstan/sandbox";
import { encodeFrame } from "./frames.ts";
import { startScriptWorker } from "./script-worker.ts";

/** A process of a worker whose output this test writes. */
function fakeProcess() {
  const stdout = new PassThrough();
  const channels = [new PassThrough(), new PassThrough()] as const;
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
  let mark = "";
  const sandbox: Sandbox = {
    kind: "none",
    start: ({ args }) => {
      mark = `\0${args.at(-2) ?? ""}\0`;
      return {
        stdin: new PassThrough(),
        stdout,
        stderr: new PassThrough(),
        channels,
        ended,
        kill: () => resolve({ status: "exited", code: 0 }),
        hold: () => {},
      };
    },
  };
  return {
    sandbox,
    print: async (text: string) => {
      stdout.write(text);
      await new Promise(setImmediate);
    },
    endPrints: () => stdout.write(mark),
    send: (channel: 0 | 1, message: unknown) => channels[channel].write(encodeFrame(message)),
  };
}

test("the first call gets what the script printed while it loaded", async () => {
  const process = fakeProcess();
  const worker = startScriptWorker(process.sandbox, { command: "python3", args: [] });
  await process.print("loaded\n");
  process.endPrints();
  process.send(1, { type: "ready" });

  const printed: string[] = [];
  const call = async (said: string) => {
    const running = worker.call(
      {
        function: "f",
        arguments: {},
        wantsContext: false,
        hasFormat: false,
        idempotencyKey: "key",
      },
      {
        onPrint: (text) => void printed.push(text),
        onProgress: () => {},
        onReport: () => {},
        onRequest: () => Promise.reject(new Error("not in this test")),
      },
      new AbortController().signal,
    );
    await process.print(said);
    process.endPrints();
    process.send(0, { type: "result", value: said });
    process.send(0, { type: "over" });
    process.send(1, { type: "ended", clean: true });
    return await running;
  };
  assert.equal((await call("one")).type, "result");
  assert.deepEqual(printed, ["loaded\n", "one"]);
  assert.equal((await call("two")).type, "result");
  assert.deepEqual(printed, ["loaded\n", "one", "two"]);
  worker.end();
});
