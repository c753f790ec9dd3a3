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
  assert.equal(parsed.status, "invalid");
  return parsed.status === "invalid" ? parsed.message : "";
}

test("parses --flag value and --flag=value, and takes the last of a repeated flag", () => {
  assert.deepEqual(parseOptions(["--port", "1", "--port=2", "--json"], options), {
    status: "parsed",
    values: { port: "2", json: true },
    positionals: [],
  });
});

test("treats arguments after -- as operands", () => {
  const parsed = parseOptions(["--", "--port"], options);
  assert.deepEqual(parsed.status === "parsed" && parsed.positionals, ["--port"]);
});

test("suggests the nearest flag for an unknown one", () => {
  assert.equal(message(["--prot", "1"]), "There is no flag --prot. Did you mean --port?");
  assert.equal(message(["--constructor"]), "There is no flag --constructor.");
  assert.match(message(["-x"]), /no flag -x/);
});

test("reports a flag without its value, with its usage", () => {
  const wanted = "--port needs a value: --port N";
  assert.equal(message(["--port"]), wanted);
  assert.equal(message(["--port", "--json"]), wanted);
  assert.equal(message(["--port="]), wanted);
});

test("rejects a value of a boolean flag", () => {
  assert.equal(message(["--json=yes"]), "--json takes no value.");
});
