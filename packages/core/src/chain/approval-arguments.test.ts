import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import type { ApprovalRequest } from "../policy/approval.ts";
import { executorWith } from "../testing/executor-with.ts";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { MemoryJournal } from "./journal/journal.ts";
import { resumeToolChain, runToolChain } from "./run-tool-chain.ts";
import type { ToolChainOptions } from "./options/tool-chain-options.ts";

const given = { to: "the crew", lines: ["Haul."] };
const other = "somebody else";

/** Changes all arguments that it finds in an event, in place and by replacement. */
function overwrite(target: unknown): void {
  if (typeof target !== "object" || target === null) return;
  for (const value of Object.values(target)) overwrite(value);
  const holder = target as { args?: { to?: string; lines?: string[] } };
  const { args } = holder;
  if (args === undefined) return;
  tryTo(() => args.lines?.push("And more."));
  tryTo(() => Object.assign(args, { to: other }));
  tryTo(() => Object.assign(holder, { args: { to: other } }));
}

function tryTo(change: () => unknown): void {
  try {
    change();
  } catch {
    // A frozen object rejects the change.
  }
}

/** A tool that changes its own copy of the arguments. */
function sending(ran: unknown[]): Tool {
  return defineTool({
    name: "Send",
    description: "Sends.",
    parameters: {
      type: "object",
      properties: { to: { type: "string" }, lines: { type: "array", items: { type: "string" } } },
    },
    effects: "read",
    execute: (args: { to: string; lines?: string[] }) => {
      ran.push(structuredClone(args));
      args.lines?.sort();
      args.to = "sent";
      return "Sent.";
    },
  });
}

function turn(ran: unknown[], args: JsonObject, options: Partial<ToolChainOptions> = {}) {
  const allow = async (asked: ApprovalRequest) => {
    overwrite({ asked });
    await new Promise(setImmediate);
    return { decision: "allow" } as const;
  };
  return runToolChain({
    executor: executorWith([sending(ran)], { approvals: { request: allow } }),
    model: new ScriptedModel([{ calls: [{ name: "Send", args }] }, "Done."]),
    contextMessages: [],
    ...options,
  });
}

// Contract: executor-95
test("a tool runs with the arguments that a user was shown, even if listeners change their copies", async () => {
  const journal = new MemoryJournal();
  const commit = journal.commit.bind(journal);
  const listeners: readonly Partial<ToolChainOptions>[] = [
    {},
    { callbacks: { onToolCallStart: (_name, args) => overwrite({ args }) } },
    { onEvent: overwrite },
    { journal: { commit: (writes) => (writes.forEach(overwrite), commit(writes)) } },
  ];
  for (const listener of listeners) {
    const ran: unknown[] = [];
    const result = await turn(ran, given, listener).result;
    assert.equal(result.status, "completed");
    assert.deepEqual(ran, [given]);
    // A journal may change its own rows.
    if (listener.journal === undefined) assert.deepEqual(result.state.calls[0]?.args, given);
  }
});

test("listeners cannot change a user's replacement arguments either", async () => {
  const ran: unknown[] = [];
  const edited = { to: "the captain", lines: ["Haul, please."] };
  const approvals = { request: () => ({ decision: "allow", arguments: edited }) as const };
  const executor = executorWith([sending(ran)], { approvals });
  await turn(ran, given, { executor, onEvent: overwrite }).result;
  assert.deepEqual(ran, [edited]);
});

test("a stored approval request does not change while it waits again", async () => {
  const ran: unknown[] = [];
  const approvals = { request: () => ({ decision: "pending" }) as const };
  const executor = executorWith([sending(ran)], { approvals });
  const { state } = await turn(ran, given, { executor }).result;
  const stored = structuredClone(state);
  const asked = Promise.withResolvers<void>();
  const later = executorWith([sending(ran)], {
    approvals: {
      request: async () => {
        asked.resolve();
        await new Promise(setImmediate);
        return { decision: "allow" };
      },
    },
  });
  const run = resumeToolChain(later, stored, {
    model: new ScriptedModel(["Done."]),
    contextMessages: [],
  });
  await asked.promise;
  overwrite(stored);
  await run.result;
  assert.deepEqual(ran, [given]);
});

// Contract: executor-95
test("a pattern does not cover another request that was crafted to match it", async () => {
  const ran: { to: string }[] = [];
  const tool = sending(ran);
  const executor = executorWith([tool], {
    approvals: {
      request: async ({ args }) => {
        if (args["to"] === "the queen") return { decision: "pending" };
        await new Promise(setImmediate);
        const when = { to: "the crew" };
        return { decision: "allow", scope: "session", covers: { type: "pattern", when } };
      },
    },
  });
  const calls = ["the queen", "the crew"].map((to) => ({ name: "Send", args: { to } }));
  const { status } = await runToolChain({
    executor,
    model: new ScriptedModel([{ calls }, "Done."]),
    contextMessages: [],
    onEvent: (event) => {
      if (event.type !== "approval.requested") return;
      const { args } = event.approval;
      tryTo(() => Object.assign(args, { to: "the crew" }));
    },
  }).result;
  assert.equal(status, "requires_action");
  assert.deepEqual(ran, [{ to: "the crew" }]);
});
