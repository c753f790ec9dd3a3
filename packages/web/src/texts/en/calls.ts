import { formatCount } from "../numbers/count.ts";

/** Texts of the rows and details of tool calls. */
export const calls = {
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
  },
  /** A state, and the reviewer's change of the result. */
  reviewed: {
    redacted: (status: string) => `${status}, result redacted`,
    replaced: (status: string) => `${status}, result replaced`,
  },
  list: "Tool calls",
  children: (tool: string) => `Calls made by ${tool}`,
  tokens: (shown: number, withheld: number) =>
    `${formatCount(shown)} tokens shown to the model, ${formatCount(withheld)} omitted`,
  withheld: (tokens: number) => `+${formatCount(tokens)} omitted`,
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
    `${formatCount(tokens.shown)} tokens shown to the model · ${formatCount(tokens.withheld)} omitted · ${formatCount(tokens.arguments)} for arguments`,
  decision: {
    allowed: {
      tool: "Allowed by the tool's policy",
      rule: "Allowed by an administrator's rule",
      override: "Allowed by your rule",
      grant: "Allowed by your saved approval",
      person: "Allowed by you",
      request: "Allowed by the request",
      system: "Not allowed",
    },
    rejected: {
      tool: "Rejected by the tool's policy",
      rule: "Rejected by an administrator's rule",
      override: "Rejected by your rule",
      grant: "Rejected by your saved approval",
      person: "Rejected by you",
      request: "Rejected by the request",
      system: "Not allowed",
    },
    because: (decision: string, reason: string) => `${decision}: ${reason}`,
  },
  sentence: (text: string) => `${text}.`,
  review: {
    released: "The result was released unchanged",
    redacted: "Words were removed from the result",
    replaced: "The result was replaced with other text",
    withheld: "The result was withheld from the model",
  },
  reviewByYou: {
    released: "The result was released unchanged by you",
    redacted: "Words were removed from the result by you",
    replaced: "The result was replaced with other text by you",
    withheld: "The result was withheld from the model by you",
  },
} as const;
