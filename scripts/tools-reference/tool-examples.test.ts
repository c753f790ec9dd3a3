import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Tool, type ToolExample, ToolExecutor, type ToolGroup } from "@capstan/core";
import { documentedGroups } from "./documented-groups.ts";

/** The groups whose examples run here: they need no network, interpreter or key. */
const runnable: ReadonlySet<string> = new Set([
  "vars",
  "todo",
  "basic",
  "files",
  "retrieval",
  "data",
  "charts",
  "edit",
  "scripts",
]);

/** The files that the examples name. */
const files: { readonly [path: string]: string } = {
  "logs/app.log": "started\nstopped\n",
  "contracts/lease.md": "# Lease\n\nThe notice period is three months.\n",
  "src/app.ts": "export function one() {\n  return 1;\n}\n",
};

const folder = await mkdtemp(join(tmpdir(), "capstan-examples-"));
after(() => rm(folder, { recursive: true }));
const root = join(folder, "root");
const groups = documentedGroups(root, join(folder, "changes"));
const nameOf = (tool: Tool): string => tool.definition.function.name;

before(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});

for (const group of groups)
  describe(group.name, () => {
    const executor = approvingExecutor(group);
    let lastChange = "";
    for (const tool of group.tools) {
      const id = `${group.name}.${nameOf(tool)}`;

      test(`${id} has an example`, () => {
        assert.ok((tool.examples ?? []).length > 0, `Add examples to the definition of ${id}.`);
      });

      for (const { title, args } of tool.examples ?? [])
        test(`${id}: ${title}`, async () => {
          if (!runnable.has(group.name)) return assertValid(group, tool, args);
          // No example can know the id of a change.
          const known = "change" in args ? { ...args, change: lastChange } : args;
          const result = await executor.execute(id, JSON.stringify(known));
          assert.equal(result.status, "success", JSON.stringify(result));
          const text = result.status === "success" ? result.finalText : "";
          lastChange = /change_[0-9a-f]{24}/.exec(text)?.[0] ?? lastChange;
        });
    }
  });

function approvingExecutor(group: ToolGroup): ToolExecutor {
  const executor = new ToolExecutor({
    approvals: { request: () => ({ decision: "allow" }) },
  });
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled(group.name, true);
  executor.variables.updateVariable("draft", { type: "LLMAdd", value: "# Draft" });
  return executor;
}

/** Checks an example's arguments by a call of a tool that does nothing. */
async function assertValid(group: ToolGroup, tool: Tool, args: ToolExample["args"]): Promise<void> {
  const { definition, check } = tool;
  const stub: Tool = { definition, ...(check && { check }), execute: () => "" };
  const executor = approvingExecutor({ ...group, tools: [stub] });
  const result = await executor.execute(nameOf(tool), JSON.stringify(args));
  assert.equal(result.status, "success", JSON.stringify(result));
}
