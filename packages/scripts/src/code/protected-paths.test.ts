import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, toolOf } from "@capstan/core/testing";
import { confined, noSandbox, testFolder } from "@capstan/sandbox/testing";
import { codeTools } from "./code-tools.ts";

// Contract: sandbox-66
test(
  "code that may write cannot change or create the configuration and files that are executed",
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
    assert.ok(!existsSync(missing), "the protected name can be used again afterwards");
    assert.equal(readFileSync(join(workspace, "work.txt"), "utf8"), "fine\n");
  },
);

// Contract: sandbox-66
test(
  "code cannot change .git at any depth, the target of a .git file, or a root inside a protected folder",
  { skip: noSandbox },
  async () => {
    const workspace = join(testFolder(), "deeper");
    const [repository, worktree] = [join(workspace, "a/b/repo"), join(workspace, "a/tree")];
    const gitData = join(workspace, "data/of-tree");
    const hooks = join(repository, ".git/hooks");
    const toolsBelow = join(workspace, "tools/sub");
    for (const folder of [hooks, worktree, gitData, toolsBelow])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(gitData, "config"), "1");
    writeFileSync(join(worktree, ".git"), "gitdir: ../../data/of-tree\n");
    const command = `
    echo x > a/b/repo/.git/hooks/post-commit; echo x > a/b/repo/.git/config; mv a/b/repo/.git a/git
    mv a/b other; echo x > data/of-tree/config; echo x > a/tree/.git; rm a/tree/.git
    echo x > "$PWD/${hooks.slice(workspace.length + 1)}/second"; echo x > tools/sub/tool.py
    echo fine > a/b/repo/work.txt`;
    for (const roots of [[workspace], [workspace, hooks, toolsBelow]])
      await call(
        toolOf(
          codeTools({
            sandbox: confined,
            roots,
            write: true,
            protected: [join(workspace, "tools")],
            find: (name) => [`/usr/bin/${name}`].find(existsSync),
          }),
          "Shell",
        ),
        { command, variables: [] },
      );
    assert.deepEqual(readdirSync(join(repository, ".git")), ["hooks"]);
    assert.deepEqual(readdirSync(hooks), []);
    assert.deepEqual(readdirSync(toolsBelow), []);
    assert.equal(readFileSync(join(gitData, "config"), "utf8"), "1");
    assert.equal(readFileSync(join(worktree, ".git"), "utf8"), "gitdir: ../../data/of-tree\n");
    assert.equal(readFileSync(join(repository, "work.txt"), "utf8"), "fine\n");
  },
);
