import type { GateCase } from "./gate-case.ts";

/** The behaviour of running tools and of their results. */
export const runningCases: readonly GateCase[] = [
  {
    name: "a tool past its deadline is stopped",
    tool: "Slow",
    expected: { status: "timed_out", code: "timed_out", reads: ["stopped after 0.03 s"] },
  },
  {
    name: "a tool that ignores its signal is abandoned, and the result says so",
    tool: "Deaf",
    expected: { status: "timed_out", reads: ["ignored the stop"] },
  },
  {
    name: "a stopped call's result says that it may have acted",
    tool: "Waits",
    cancelled: true,
    expected: { status: "cancelled", code: "cancelled", reads: ["may have acted"] },
  },
  {
    name: "a temporary error is retried if the tool allows it",
    tool: "Flaky",
    expected: { status: "success", data: "at last", ran: [{}, {}, {}] },
  },
  {
    name: "an error of a tool reaches the model with its code",
    tool: "Fails",
    expected: { status: "error", code: "no_wind", reads: ["There is no wind.", "may succeed"] },
  },
  {
    name: "a thrown error becomes an error result",
    tool: "Throws",
    expected: { status: "error", code: "tool_threw", reads: ["the rope broke"] },
  },
  {
    name: "a tool that returns nothing has a result",
    tool: "Nothing",
    expected: { status: "success", reads: ["(no result)"] },
  },
  {
    name: "a circular result is an error",
    tool: "Circular",
    expected: { status: "error", code: "unusable_result", reads: ["circular"] },
  },
  {
    name: "a BigInt is an error",
    tool: "BigInt",
    expected: { status: "error", code: "unusable_result" },
  },
  {
    name: "a stream is an error",
    tool: "Stream",
    expected: { status: "error", code: "unusable_result" },
  },
  {
    name: "images are content parts",
    tool: "Picture",
    expected: { status: "success", reads: ["A ship:", "[image image/png]"] },
  },
  {
    name: "a long result is truncated between rows, with a hint how to read more",
    tool: "Rows",
    args: { limit: 300 },
    expected: {
      status: "success",
      reads: ["row 0: ", "row 399: ", "characters omitted", 'ReadVar({"name":"Rows_1","start":'],
      readsNot: ["row 200: "],
      ran: [{}],
    },
  },
  {
    name: "the gate's own limit also truncates",
    tool: "Rows",
    limits: { outputChars: 300 },
    expected: { status: "success", reads: ["characters omitted"] },
  },
  {
    name: "sub-calls go through the same gate, repairs included",
    tool: "Sum",
    expected: { status: "success", data: [2, 4], ran: [{}, { a: 1, b: 1 }, { a: 2, b: 2 }] },
  },
  {
    name: "sub-calls have a depth limit",
    tool: "Deep",
    expected: { status: "success", data: "too_deep" },
  },
  {
    name: "a call has its caller",
    tool: "WhoAmI",
    args: { value: 1 },
    expected: { status: "success", data: { value: 1, principal: "local", hasKey: true } },
  },
];
