import {
  after,
  json,
  limit,
  listOf,
  number,
  type Operations,
  ref,
  text,
  word,
} from "../schemas/operation.ts";

/** Runs, conversations and their variables. */
export const runOperations: Operations = {
  "GET /v1/runs": {
    summary: "List runs, newest first",
    query: [
      limit(100, 20),
      after,
      text("status", "Only runs with one of these states, separated by commas."),
      text("conversation", "Only runs of this conversation."),
      word("outcome", "`unknown`: only runs with a call whose outcome is unknown.", ["unknown"]),
    ],
    answer: listOf("RunView", "CorruptView"),
  },
  "GET /v1/runs/:id": { summary: "Read a run", answer: json("RunView") },
  "GET /v1/runs/:id/events": {
    summary: "Follow the events of a run",
    description: "First the past events, then new ones until the run ends.",
    query: [number("starting_after", "The number of the last known event.")],
    answer: { type: "events", schema: ref("RunEvent") },
  },
  "GET /v1/runs/:id/calls": { summary: "List the calls of a run", answer: listOf("CallView") },
  "GET /v1/runs/:id/approvals": {
    summary: "List the approvals of a run",
    answer: listOf("ApprovalView", "CorruptView"),
  },
  "POST /v1/runs/:id/submit_tool_outputs": {
    summary: "Answer open calls of the client",
    body: ref("ToolOutputsBody"),
    answer: json("RunView"),
  },
  "POST /v1/runs/:id/cancel": { summary: "Stop a run", answer: json("RunView") },
  "POST /v1/runs/:id/retry": {
    summary: "Continue a run that failed or was stopped",
    body: { type: "object", properties: { model: { type: ["string", "null"] } } },
    answer: json("RunView"),
  },
  "POST /v1/runs/:id/calls/:callId/cancel": {
    summary: "Stop one call of a run",
    answer: json("RunView"),
  },
  "POST /v1/runs/:id/calls/:callId/outcome": {
    summary: "Report the outcome of a call that is unknown",
    body: ref("CallOutcomeBody"),
    answer: json("CallView"),
  },
};
