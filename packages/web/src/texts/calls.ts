import { formatCount } from "./count.ts";

/** Texts of the rows and details of tool calls. */
export const callsTexts = {
  status: {
    done: "done",
    failed: "failed",
    timedOut: "timed out",
    rejected: "rejected",
    withheld: "result withheld",
    unknownTool: "unknown tool",
    stopped: "stopped",
    outcomeUnknown: "outcome unknown",
    writing: "being written",
    waiting: "waiting",
    queued: "queued",
    asking: "needs your approval",
    reviewing: "result needs your approval",
    client: "waiting for a client",
    running: "running",
    reviewed: (status: string, outcome: "redacted" | "replaced") => `${status}, result ${outcome}`,
  },
  list: "Tool calls",
  children: (tool: string) => `Calls made by ${tool}`,
  tokens: (shown: number, withheld: number) =>
    `${formatCount(shown)} tokens shown to the model, ${formatCount(withheld)} withheld`,
  withheld: (tokens: number) => `+${formatCount(tokens)} withheld`,
  tokenUnit: "tok",
  stop: (tool: string) => `Stop ${tool}`,
  stopTitle: "Stop this call (the turn continues)",
  notStopped: "Could not stop the call",
  progress: "Progress",
  progressOf: ({
    message = "",
    done = 0,
    total,
  }: {
    readonly message?: string;
    readonly done?: number;
    readonly total?: number;
  }) => (total === undefined ? message : `${message} ${done} of ${total}`),
  outputSoFar: "Output so far",
  unknownTime: "? s",
  unknownEnd: "End time unknown",
  arguments: "Arguments",
  editedArguments: "Arguments (edited by you)",
  repairs: "Repaired arguments",
  output: "Output",
  result: "Result that the model saw",
  truncatedResult: "Result that the model saw (truncated)",
  openValue: "Open the full value:",
  numbers: (tokens: { shown: number; withheld: number; arguments: number }) =>
    `${formatCount(tokens.shown)} tokens shown to the model · ${formatCount(tokens.withheld)} withheld · ${formatCount(tokens.arguments)} for arguments`,
  decision: {
    allowed: "Allowed",
    rejected: "Rejected",
    notAllowed: "Not allowed",
    by: {
      tool: "by the tool's policy",
      rule: "by an administrator's rule",
      override: "by your rule",
      grant: "by your saved approval",
      person: "by you",
      request: "by the request",
    },
  },
  review: {
    released: "The result was released unchanged",
    redacted: "Words were removed from the result",
    replaced: "The result was replaced with other text",
    withheld: "The result was withheld from the model",
    byYou: "by you",
  },
} as const;
