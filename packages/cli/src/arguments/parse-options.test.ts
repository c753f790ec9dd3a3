import assert from "node:assert/strict";
import { test } from "node:test";
import type { Options } from "./command.ts";
import { parseOptions } from "./parse-options.ts";

const options: Options = {
  port: { type: "string", placeholder: "N", description: "" },
  json: { type: "boolean", description: "" },
  help: { type: "boolean", description: "" },
};

function message(args: readonly string[]): string {
  const parsed = parseOptions(args, options);
  assert.equal(parsed.status, "refused");
  return parsed.status === "refused" ? parsed.message : "";
}

test("flags are read in both spellings, and the last of a repeated one counts", () => {
  assert.deepEqual(parseOptions(["--port", "1", "--port=2", "--json"], options), {
    status: "parsed",
    values: { port: "2", json: true },
    positionals: [],
  });
});

test("arguments after two dashes are not flags", () => {
  const parsed = parseOptions(["--", "--port"], options);
  assert.deepEqual(parsed.status === "parsed" && parsed.positionals, ["--port"]);
});

test("an unknown flag names the nearest one", () => {
  assert.equal(message(["--prot", "1"]), "There is no flag --prot. Did you mean --port?");
  assert.equal(message(["--constructor"]), "There is no flag --constructor.");
  assert.match(message(["-x"]), /no flag -x/);
});

test("a flag without its value says how to give it", () => {
  const wanted = "--port needs a value: --port N";
  assert.equal(message(["--port"]), wanted);
  assert.equal(message(["--port", "--json"]), wanted);
  assert.equal(message(["--port="]), wanted);
});

test("a switch takes no value", () => {
  assert.equal(message(["--json=yes"]), "--json takes no value.");
});
