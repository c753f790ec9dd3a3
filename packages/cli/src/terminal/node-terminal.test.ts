import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { createNodeTerminal } from "./node-terminal.ts";
import type { Complete } from "./terminal.ts";

/** The streams of a process, for tests. */
function createStreams(isTTY: boolean, complete?: Complete) {
  const setRawMode = () => undefined;
  const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 80, setRawMode });
  const [input, output, error] = [stream(), stream(), stream()];
  const streams = { input, output, error } as unknown as Parameters<typeof createNodeTerminal>[0];
  return {
    input,
    output,
    error,
    terminal: createNodeTerminal(streams, { ...(complete && { complete }) }),
  };
}

/** Returns the text that was written since the last call. */
function textOf(stream: PassThrough): string {
  let text = "";
  for (let piece; (piece = stream.read() as unknown) !== null;) text += String(piece);
  return text;
}

// If a line were lost, this would wait forever.
const within = { timeout: 60_000 };

test("all lines of one chunk are read, then the end", within, async () => {
  const { input, terminal } = createStreams(false);
  const first = terminal.readMessage("› ");
  input.end("one\ntwo\nthree\nfour");
  assert.deepEqual(await first, { type: "line", text: "one" });
  for (const text of ["two", "three", "four"]) {
    assert.deepEqual(await terminal.readMessage("› "), { type: "line", text });
  }
  assert.deepEqual(await terminal.readMessage("› "), { type: "end" });
});

test("without bracketed paste, each pasted line is a message", within, async () => {
  const { input, output, terminal } = createStreams(true);
  const first = terminal.readMessage("› ");
  input.write("one\rtwo\rthree\rfo");
  assert.deepEqual(await first, { type: "line", text: "one" });
  assert.doesNotMatch(textOf(output), /two/, "the prompt of a later question is not shown");
  assert.deepEqual(await terminal.readMessage("› "), { type: "line", text: "two" });
  assert.deepEqual(await terminal.readMessage("› "), { type: "line", text: "three" });
  assert.equal(textOf(output), "› two\n› three\n");
  const last = terminal.readMessage("› ");
  assert.match(textOf(output), /› fo/, "the beginning of the next line can be continued");
  input.write("ur\r");
  assert.deepEqual(await last, { type: "line", text: "four" });
  terminal.close();
});

test(
  "only the first line after a prompt answers it; further pasted lines do not",
  within,
  async () => {
    const { input, terminal } = createStreams(true);
    const { signal } = new AbortController();
    const first = terminal.readAnswer("y/n > ", { signal });
    input.write("n\ry\r");
    assert.deepEqual(await first, { type: "line", text: "n" });
    const next = terminal.readAnswer("y/n > ", { signal });
    await nextTurn();
    input.write("v\r");
    assert.deepEqual(await next, { type: "line", text: "v" });
    terminal.close();
  },
);

test("lines above the limit are ignored with a notice", within, async () => {
  const { input, error, terminal } = createStreams(true);
  const first = terminal.readMessage("› ");
  input.write("line\r".repeat(104));
  await first;
  await terminal.readMessage("› ");
  assert.equal(
    textOf(error),
    "3 lines were ignored: at most 100 lines are kept until the answer ends.\n",
  );
  await terminal.readMessage("› ");
  assert.equal(textOf(error), "");
  terminal.close();
});

test("text that was typed for a closed prompt is discarded", within, async () => {
  const { input, terminal } = createStreams(true);
  const gone = new AbortController();
  const question = terminal.readAnswer("y/n > ", { signal: gone.signal });
  input.write("ye");
  await nextTurn();
  gone.abort();
  input.write("hello\r");
  assert.deepEqual(await question, { type: "aborted" });
  assert.deepEqual(await terminal.readMessage("› "), { type: "line", text: "hello" });
  terminal.close();
});

const paste = (text: string) => `\u001B[200~${text}\u001B[201~`;

test("a pasted text is one message, and can be edited before it is sent", within, async () => {
  const { input, output, terminal } = createStreams(true);
  const message = terminal.readMessage("› ");
  input.write(`Read ${paste("one\rtwo\r\nthree\n")}`);
  input.write(" now\r");
  const pasted = ["one\ntwo\nthree\n"];
  assert.deepEqual(await message, { type: "line", text: "Read one\ntwo\nthree now", pasted });
  assert.match(textOf(output), /Read one⏎two⏎three now/);
  terminal.close();
});

test("a long pasted text is shown as a marker, in whatever pieces it arrives", within, async () => {
  const { input, output, terminal } = createStreams(true);
  const message = terminal.readMessage("› ");
  const text = "a\tb\u001B[31m\u0003\n".repeat(200);
  for (const character of paste(text)) input.write(character);
  input.write("\r");
  const clean = "a\tb[31m\n".repeat(200);
  assert.deepEqual(await message, { type: "line", text: clean.trimEnd(), pasted: [clean] });
  assert.match(textOf(output), /\[pasted 200 lines #1\]/);
  terminal.close();
});

test("a line with an edited marker is not sent", within, async () => {
  const { input, output, terminal } = createStreams(true);
  const message = terminal.readMessage("› ");
  input.write(`${paste("a\n".repeat(20))}\u007F\r`);
  await nextTurn();
  assert.match(textOf(output), /was changed, so nothing was sent/);
  // Deletes the line.
  input.write("\u0015hello\r");
  assert.deepEqual(await message, { type: "line", text: "hello", pasted: ["a\n".repeat(20)] });
  const next = terminal.readMessage("› ");
  input.write(paste("b\n".repeat(20)));
  await nextTurn();
  // Deletes the first paste, and pastes two others, of which the second comes first in the line.
  input.write(`\u0015${paste("c\n".repeat(20))}`);
  await nextTurn();
  input.write(`\u0001${paste("d\n".repeat(20))}\r`);
  const text = `${"d\n".repeat(20)}${"c\n".repeat(20)}`.trimEnd().replace("d\nc", "dc");
  const pasted = ["c\n".repeat(20), "d\n".repeat(20)];
  assert.deepEqual(await next, { type: "line", text, pasted });
  terminal.close();
});

test(
  "a line with a pasted text is not recalled, because its text would be lost",
  within,
  async () => {
    const { input, terminal } = createStreams(true);
    const first = terminal.readMessage("› ");
    input.write("typed\r");
    await first;
    const second = terminal.readMessage("› ");
    input.write(`${paste("a\n".repeat(20))}\r`);
    await second;
    const third = terminal.readMessage("› ");
    input.write("\u001B[A\r");
    assert.deepEqual(await third, { type: "line", text: "typed" });
    terminal.close();
  },
);

test("Tab completes the last word of a line", within, async () => {
  const streams = createStreams(true, async (line) => ({
    candidates: ["/model "].filter((word) => word.startsWith(line)),
    word: line,
  }));
  const message = streams.terminal.readMessage("› ");
  streams.input.write("/mo\t");
  await nextTurn();
  streams.input.write("x\r");
  assert.deepEqual(await message, { type: "line", text: "/model x" });
  streams.terminal.close();
});
