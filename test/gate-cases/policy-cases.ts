import type { GateCase } from "./gate-case.ts";

const write = { tool: "Write", args: { path: "x" } };
const visit = { tool: "Visit", args: { url: "u" } };
const allow = { decision: "allow" } as const;

/** Which calls may run: names, switches, rules, users' answers. */
export const policyCases: readonly GateCase[] = [
  {
    name: "a call of an unknown tool is answered with the nearest name",
    tool: "Ad",
    expected: { status: "not_found", code: "tool_not_found", reads: ["Did you mean Add?"] },
  },
  {
    name: "a tool of a group that is off does not run",
    tool: "Sleeps",
    expected: { status: "not_found", code: "tool_disabled", reads: ["switched off"], ran: [] },
  },
  {
    name: "without a user, approval is denied",
    ...write,
    expected: { status: "execution_rejected", reads: ["there is no user to ask"], ran: [] },
  },
  {
    name: "a tool without a declared policy needs approval",
    tool: "Undeclared",
    answer: allow,
    expected: { status: "success", asked: 1 },
  },
  {
    name: "a call that the user allows runs",
    ...write,
    answer: allow,
    expected: { status: "success", asked: 1, ran: [{ path: "x" }] },
  },
  {
    name: "a call that the user denies does not run, and the model reads the reason",
    ...write,
    answer: { decision: "refuse", reason: "not today" },
    expected: { status: "execution_rejected", asked: 1, reads: ["not today"], ran: [] },
  },
  {
    name: "a call runs with the arguments that the user edited, and the model is told",
    ...write,
    answer: { ...allow, arguments: { path: "y" } },
    expected: {
      status: "success",
      asked: 1,
      reads: ["A user changed the arguments", "wrote y"],
      ran: [{ path: "y" }],
    },
  },
  {
    name: "edited arguments are validated again",
    tool: "Add",
    args: { a: 1, b: 2 },
    rules: [{ tool: "cases.Add", execution: "ask-always" }],
    answer: { ...allow, arguments: { a: 1 } },
    expected: { status: "error", code: "invalid_arguments", asked: 1, ran: [] },
  },
  {
    name: "without an immediate answer the call is pending",
    ...write,
    answer: { decision: "pending" },
    expected: { status: "pending", asked: 1, ran: [] },
  },
  {
    name: "ask-once remembers exactly these arguments",
    ...visit,
    before: [visit],
    answer: allow,
    expected: { status: "success", asked: 1, ran: [visit.args, visit.args] },
  },
  {
    name: "ask-once asks again for other arguments",
    tool: "Visit",
    args: { url: "v" },
    before: [visit],
    answer: allow,
    expected: { status: "success", asked: 2 },
  },
  {
    name: "a grant for the session covers the tool's other calls",
    tool: "Visit",
    args: { url: "v" },
    before: [visit],
    answer: { ...allow, scope: "session" },
    expected: { status: "success", asked: 1 },
  },
  {
    name: "a call that its tool denies leads to no approval request",
    tool: "Denied",
    answer: allow,
    expected: { status: "execution_rejected", ran: [] },
  },
  {
    name: "a rule overrides the tool's own policy",
    tool: "Add",
    args: { a: 1, b: 2 },
    rules: [{ tool: "cases.*", execution: "deny", reason: "closed" }],
    expected: { status: "execution_rejected", reads: ["closed"], ran: [] },
  },
  {
    name: "a result that needs review is withheld without a user",
    tool: "Secret",
    expected: { status: "result_rejected", readsNot: ["4711"], ran: [{}] },
  },
  {
    name: "a user releases a result",
    tool: "Secret",
    answer: allow,
    review: { decision: "release" },
    expected: { status: "success", reads: ["4711"] },
  },
  {
    name: "a user removes words from a result",
    tool: "Secret",
    answer: allow,
    review: { decision: "redact", words: ["4711"] },
    expected: { status: "success", reads: ["the code is"], readsNot: ["4711"] },
  },
  {
    name: "a sub-call needs its own approval",
    tool: "Around",
    answer: { decision: "refuse" },
    expected: { status: "success", data: "execution_rejected", asked: 1, ran: [{}] },
  },
];
