import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { call, toolOf } from "@capstan/core/testing";
import { noSandbox } from "@capstan/sandbox/testing";
import {
  acceptConfiguration,
  reviewConfiguration,
} from "../configuration/accepted-configuration.ts";
import { configuredGroups } from "./built-in-groups.ts";

const directory = mkdtempSync(join(tmpdir(), "capstan-record-"));
after(() => rmSync(directory, { recursive: true }));

test(
  "code and file tools cannot access the record of the accepted configuration",
  { skip: noSandbox },
  async () => {
    const settings = { data: "elsewhere", groups: { code: true }, code: { write: true } };
    writeFileSync(join(directory, "capstan.config.json"), JSON.stringify(settings));
    const review = await reviewConfiguration({ directory, environment: {}, flags: {} });
    if (review.status === "invalid") assert.fail(review.problems.join());
    await acceptConfiguration(review);
    const record = join(directory, ".capstan/accepted-configuration.json");
    const accepted = readFileSync(record, "utf8");
    const groups = await configuredGroups(review.changed);
    const groupOf = (name: string) => groups.find((group) => group.name === name) ?? assert.fail();

    const command = `
    cat .capstan/* && echo READ; echo '{}' > .capstan/accepted-configuration.json
    rm -rf .capstan; mv .capstan old; mkdir -p .capstan; echo '{}' > .capstan/accepted-configuration.json
    echo fine > work.txt`;
    const ran = await call(toolOf(groupOf("code"), "Shell"), { command, variables: [] });
    assert.doesNotMatch(JSON.stringify(ran), /READ|code\.write/);
    const python = `
import pathlib
try:
    pathlib.Path(".capstan/accepted-configuration.json").write_text("{}")
except OSError as error:
    print(error)`;
    await call(toolOf(groupOf("code"), "Python"), { code: python, variables: [] });
    const view = { path: ".capstan/accepted-configuration.json" };
    const viewed = await call(toolOf(groupOf("files"), "ViewFile"), view).catch(
      (error: unknown) => error,
    );
    assert.doesNotMatch(JSON.stringify(viewed), /elsewhere/);

    assert.equal(readFileSync(record, "utf8"), accepted);
    assert.deepEqual(readdirSync(join(directory, ".capstan")), ["accepted-configuration.json"]);
    assert.ok(!existsSync(join(directory, "old")));
    assert.equal(readFileSync(join(directory, "work.txt"), "utf8"), "fine\n");
  },
);
