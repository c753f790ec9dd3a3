// Rules and approvals, in the order of docs/guides/ask-before-it-runs.md. Run it: npm run example
// -- examples/ask-before-it-runs.ts
import {
  type ApprovalRequest,
  defineTool,
  GrantBook,
  InlineApprovalAdapter,
  type PolicyRule,
  ruleProblems,
  runToolChain,
  ToolExecutor,
} from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { z } from "zod";

const disk = new Map([["notes/rope.md", "40 m of hemp"]]);

// A tool that asks

const writeFile = defineTool({
  name: "WriteFile",
  description: "Writes a file.",
  parameters: z.object({ path: z.string(), text: z.string() }),
  effects: { locks: ({ path }) => [path] },
  permission: {
    executionPolicy: ({ path }) => (path.startsWith("/") ? "deny" : "ask-once"),
    grantScope: ({ path }) => {
      const folder = path.split("/").slice(0, -1).join("/") || ".";
      return { when: { path: `${folder}/**` }, title: `files in ${folder}` };
    },
    approvalMs: 60 * 60 * 1_000,
  },
  execute: ({ path, text }) => {
    disk.set(path, text);
    return `${path} written: ${text}`;
  },
});
const readFile = defineTool({
  name: "ReadFile",
  description: "Reads a file.",
  parameters: z.object({ path: z.string() }),
  effects: "read",
  permission: { executionPolicy: "auto" },
  execute: ({ path }) => disk.get(path) ?? "(empty)",
});

// Rules

const rules: readonly PolicyRule[] = [
  {
    tool: "files.*",
    when: { path: "secrets/**" },
    execution: "deny",
    reason: "This folder is private.",
  },
  {
    tool: "files.WriteFile",
    when: { path: "published/**" },
    execution: "ask-always",
    reason: "Published pages are public immediately.",
    approvalMs: 10 * 60 * 1_000,
  },
];
const overrides: readonly PolicyRule[] = [
  { tool: "files.WriteFile", when: { path: "drafts/**" }, execution: "auto" },
];

function createExecutor(approvals: InlineApprovalAdapter, grants = new GrantBook()): ToolExecutor {
  const executor = new ToolExecutor({ approvals, rules, overrides, grants });
  executor.registerToolGroup({ name: "files", tools: [writeFile, readFile] });
  executor.toggleGroupEnabled("files", true);
  return executor;
}

async function show(executor: ToolExecutor, name: string, args: { readonly path: string }) {
  const text = name === "WriteFile" ? { text: "3 buoys" } : {};
  const result = await executor.execute(name, { ...text, ...args });
  const line = "finalText" in result ? result.finalText.split("\n", 1)[0] : "";
  console.log(`${name} ${args.path}: ${result.status}: ${line}`);
}

// Ask in your own interface

const approvals = new InlineApprovalAdapter();
const executor = createExecutor(approvals);

/** Returns the text of an approval card. */
function card({ toolName, args, reason, grant }: ApprovalRequest): string {
  const wider = grant === undefined ? "this call only" : grant.title;
  return `approve ${toolName} ${JSON.stringify(args["path"])} | ${reason} | ${wider}`;
}

async function nextQuestion(): Promise<ApprovalRequest> {
  for (;;) {
    const [first] = approvals.pending;
    if (first?.type === "execution") {
      console.log(card(first.request));
      return first.request;
    }
    const changed = Promise.withResolvers<void>();
    const unsubscribe = approvals.subscribe(changed.resolve);
    await changed.promise;
    unsubscribe();
  }
}

await show(executor, "ReadFile", { path: "secrets/../secrets/key" });
await show(executor, "WriteFile", { path: "/etc/hosts" });
await show(executor, "WriteFile", { path: "drafts/a.md" });

// Answer once, change what runs, refuse

let call = show(executor, "WriteFile", { path: "log/monday.md" });
let question = await nextQuestion();
await approvals.answer(question.id, { decision: "allow" });
await call;

call = show(executor, "WriteFile", { path: "log/tuesday.md" });
question = await nextQuestion();
const wrong = await approvals.answer(question.id, { decision: "allow", arguments: { path: 5 } });
console.log(wrong.status === "invalid" ? `invalid: ${wrong.message.split("\n", 1)[0]}` : "");
await approvals.answer(question.id, {
  decision: "allow",
  arguments: { path: "log/tuesday.md", text: "4 buoys" },
});
await call;

call = show(executor, "WriteFile", { path: "log/rumours.md" });
question = await nextQuestion();
await approvals.answer(question.id, { decision: "refuse", reason: "Log only what you observed." });
await call;
await show(executor, "WriteFile", { path: "log/rumours.md" });

// Answer for more than one call

const calls = ["notes/sail.md", "notes/mast.md"].map((path) =>
  show(executor, "WriteFile", { path }),
);
question = await nextQuestion();
await approvals.answer(question.id, {
  decision: "allow",
  scope: "session",
  covers: { type: "pattern", when: { path: "notes/*.md" } },
  expiresAt: Date.now() + 60 * 60 * 1_000,
});
await Promise.all(calls);

call = show(executor, "WriteFile", { path: "published/index.md" });
question = await nextQuestion();
approvals.cancel(question.id, "the window was closed");
await call;

// List and revoke

const { grants } = executor.gate;
for (const { verdict, title, grantedBy } of grants.list())
  console.log(`${verdict}: ${title}, by ${grantedBy}`);
for (const { id, title } of grants.list())
  if (title.startsWith("WriteFile where")) grants.revoke(id);
call = show(executor, "WriteFile", { path: "notes/keel.md" });
question = await nextQuestion();
await approvals.answer(question.id, { decision: "refuse" });
await call;

// In a turn

const model = new ScriptedModel([
  { calls: [{ name: "WriteFile", args: { path: "log/wednesday.md", text: "5 buoys" } }] },
  "It is in the log.",
]);
const run = runToolChain({ executor, model, contextMessages: [] });
const [result] = await Promise.all([
  run.result,
  nextQuestion().then(({ id }) => approvals.answer(id, { decision: "allow" })),
]);
console.log(`answer: ${result.answer}`);

// Rules from outside

const [problem] = ruleProblems({
  tool: "files.*",
  when: { path: { glbo: "*" } },
  execution: "deny",
});
console.log(`rule: ${problem?.path.join(".")}: ${problem?.message}`);
