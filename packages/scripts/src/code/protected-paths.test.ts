import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, toolOf } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { codeTools } from "./code-tools.ts";

test(
  "code that may write changes neither the configuration nor what runs, nor makes it",
  { skip: noSandbox },
  async () => {
    const workspace = join(testFolder(), "protected");
    mkdirSync(join(workspace, "app/tools"), { recursive: true });
    mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
    writeFileSync(join(workspace, "capstan.config.json"), "{}");
    writeFileSync(join(workspace, "app/tools/a.py"), "1");
    linkSync(join(workspace, "capstan.config.json"), join(workspace, "copy.json"));
    const missing = join(workspace, "capstan-tools");
    const tools = codeTools({
      sandbox: confined,
      roots: [workspace],
      write: true,
      protected: ["capstan.config.json", ".git", "app/tools", "capstan-tools"].map((name) =>
        join(workspace, name),
      ),
      find: (name) => [`/usr/bin/${name}`].find(existsSync),
    });
    const command = `
    echo '{"rules":[]}' > capstan.config.json
    rm -f capstan.config.json; mv capstan.config.json old.json; echo x > new.json; mv -f new.json capstan.config.json
    echo x > .git/hooks/pre-commit; mv .git git
    echo x > app/tools/a.py; mv app other
    mkdir -p capstan-tools; echo x > capstan-tools/b.py
    ln capstan.config.json link; echo x > copy.json; echo fine > work.txt`;
    await Promise.all([1, 2].map(() => call(toolOf(tools, "Shell"), { command, variables: [] })));
    assert.equal(readFileSync(join(workspace, "capstan.config.json"), "utf8"), "{}");
    assert.equal(readFileSync(join(workspace, "app/tools/a.py"), "utf8"), "1");
    assert.ok(!existsSync(join(workspace, ".git/hooks/pre-commit")));
    assert.ok(!existsSync(missing), "the name that was held is let go");
    assert.equal(readFileSync(join(workspace, "work.txt"), "utf8"), "fine\n");
  },
);
