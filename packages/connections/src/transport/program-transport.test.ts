import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { ProgramEnd, RunningProgram } from "@capstan/sandbox";
import { programTransport } from "./program-transport.ts";
import { readErrors } from "./read-errors.ts";

/** A program that reads and writes nothing. */
function silentProgram(): RunningProgram {
  const { promise: ended, resolve } = Promise.withResolvers<ProgramEnd>();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const kill = () => {
    stdout.end();
    resolve({ status: "killed", signal: "SIGKILL" });
  };
  return { stdin, stdout, stderr, channels: [], ended, kill, hold: () => {} };
}

test("a program that does not read its messages is ended", async () => {
  const transport = programTransport(silentProgram(), { name: "deaf" });
  await transport.start();
  const params = { text: "x".repeat(17_000_000) };
  const sent = Array.from({ length: 3 }, () =>
    transport.send({ jsonrpc: "2.0", method: "x", params }),
  );
  const third = (await Promise.allSettled(sent.slice(2)))[0];
  assert.match(String(third?.status === "rejected" && third.reason), /deaf did not read 32 MB/);
  await transport.ended;
});

test("of many lines on standard error, a limited number is reported, and the others are counted", async () => {
  const stderr = new PassThrough();
  const reported: string[] = [];
  const noise = { lines: 0, stderr: "" };
  readErrors(stderr, { noise, onLine: (line) => reported.push(line) });
  for (let n = 0; n < 1_000; n++) stderr.write(`line ${n}\n`.repeat(20));
  stderr.end("the last line\n");
  await new Promise((resolve) => stderr.once("end", resolve));
  assert.ok(reported.length < 2_000, `${reported.length} of 20,000 lines`);
  assert.match(noise.stderr, /the last line\n$/);
});
