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

/** Approvals, grants and users' own rules. */
export const permissionOperations: Operations = {
  "GET /v1/approvals": {
    summary: "List approvals, newest first",
    query: [
      limit(100, 100),
      after,
      word("status", "Only approvals with this state.", [
        "pending",
        "allowed",
        "refused",
        "released",
        "redacted",
        "replaced",
        "withheld",
        "expired",
        "cancelled",
      ]),
      text("conversation", "Only approvals of this conversation."),
    ],
    answer: listOf("ApprovalView", "CorruptView"),
  },
  "GET /v1/approvals/:id": {
    summary: "Read an approval with the texts that a user must see",
    query: [
      text("variable", "Returns a slice of this variable, of those that the call reads."),
      number("start", "The first character of a result under review, or of the variable."),
      number("length", "The number of characters to return. Default: 20000.", 1),
    ],
    answer: json("ApprovalView"),
  },
  "POST /v1/approvals/:id": {
    summary: "Answer an approval",
    description: "The first answer counts. Every answer except a denial needs the right `approve`.",
    body: ref("ApprovalAnswerBody"),
    answer: json("ApprovalView"),
  },
  "POST /v1/approvals/:id/preview": {
    summary: "Show the model's result for a given answer",
    body: ref("ReviewAnswerBody"),
    answer: json("ReviewPreview"),
  },
  "GET /v1/grants": {
    summary: "List grants, newest first",
    query: [
      limit(1_000, 1_000),
      after,
      text("conversation", "Only grants that apply in this conversation."),
      text("tool", "Only grants for this tool, as `group.Tool`."),
    ],
    answer: listOf("GrantView", "CorruptView"),
  },
  "DELETE /v1/grants/:id": { summary: "Revoke a grant", answer: json("GrantDeleted") },
  "GET /v1/overrides": { summary: "List the user's own rules", answer: listOf("OverrideView") },
  "PUT /v1/overrides": {
    summary: "Change a rule of the user",
    body: ref("OverrideChange"),
    answer: json("OverrideView", "OverrideDeleted"),
  },
  "DELETE /v1/overrides/:id": {
    summary: "Delete a rule of the user",
    answer: json("OverrideDeleted"),
  },
};
