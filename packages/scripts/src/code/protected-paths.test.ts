import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

// Contract: sandbox-66
test(
  "code cannot replace a symbolic link that leads to a protected path, or create the folder of a missing one",
  { skip: noSandbox },
  async () => {
    const workspace = join(testFolder(), "links");
    const outside = join(testFolder(), "outside");
    for (const folder of ["real", "a/b/repo", "work", "c"])
      mkdirSync(join(workspace, folder), { recursive: true });
    for (const folder of ["git", "tools"]) mkdirSync(join(outside, folder), { recursive: true });
    writeFileSync(join(outside, "settings.json"), "{}");
    const links = {
      "a/b/repo/.git": join(outside, "git"),
      "c/capstan.config.json": join(outside, "settings.json"),
      "real/first": "second",
      "real/second": outside,
    };
    for (const [at, target] of Object.entries(links)) symlinkSync(target, join(workspace, at));
    const tools = codeTools({
      sandbox: confined,
      roots: [workspace],
      write: true,
      protected: ["c/capstan.config.json", "real/first/tools", "missing/deeper/tools"].map((name) =>
        join(workspace, name),
      ),
      find: (name) => [`/usr/bin/${name}`].find(existsSync),
    });
    const command = `
    for link in ${Object.keys(links).join(" ")}; do rm -f $link; mkdir -p $link/tools; mv $link moved; done
    mv a/b/repo a/b/other; mkdir -p missing/deeper/tools; echo x > missing/x; echo fine > work/work.txt`;
    await call(toolOf(tools, "Shell"), { command, variables: [] });
    for (const at of Object.keys(links))
      assert.ok(lstatSync(join(workspace, at)).isSymbolicLink(), at);
    assert.ok(!existsSync(join(workspace, "missing")));
    assert.equal(readFileSync(join(workspace, "work/work.txt"), "utf8"), "fine\n");
  },
);
