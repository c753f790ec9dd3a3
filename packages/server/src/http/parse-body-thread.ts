import { readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { type BodyToParse, type ParsedBody, parseJson } from "./read-body.ts";

parentPort?.on("message", (body: BodyToParse) => {
  const parsed = parse(body);
  const bytes = "taken" in parsed ? parsed.taken.map((one) => one.bytes.buffer) : [];
  // Several entries can share a buffer, and a buffer can be transferred only once.
  parentPort?.postMessage(parsed, [...new Set(bytes)]);
});

function parse({ file, size }: BodyToParse): ParsedBody {
  try {
    const bytes = Buffer.alloc(size);
    for (let from = 0; from < size;) from += readSync(file, bytes, from, size - from, from);
    return parseJson(bytes);
  } catch (thrown) {
    return { error: thrown instanceof SyntaxError ? thrown.message : undefined };
  }
}
