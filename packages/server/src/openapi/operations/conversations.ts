import {
  after,
  deleted,
  json,
  limit,
  listOf,
  number,
  objectOf,
  type Operations,
  ref,
  text,
  word,
} from "../schemas/operation.ts";

/** Conversations and their variables. */
export const conversationOperations: Operations = {
  "GET /v1/conversations": {
    summary: "List conversations, newest first",
    query: [
      limit(100, 50),
      after,
      word("state", "Only conversations in this state.", ["open", "pinned", "archived"]),
    ],
    answer: listOf("ConversationView", "CorruptView"),
  },
  "GET /v1/conversations/search": {
    summary: "Search the titles and messages of conversations",
    description:
      "Finds conversations with all words of the query. The last word can be the start of a word.",
    query: [text("query", "The words to find, at most 500 characters."), limit(50, 20)],
    answer: json("ConversationMatches"),
  },
  "POST /v1/conversations": {
    summary: "Create a conversation",
    body: {
      allOf: [ref("ConversationUpdate")],
      properties: { items: { type: "array", maxItems: 20, items: { type: "object" } } },
    },
    answer: json("ConversationView"),
  },
  "GET /v1/conversations/:id": {
    summary: "Read a conversation",
    answer: json("ConversationView"),
  },
  "POST /v1/conversations/:id": {
    summary: "Change a conversation",
    body: ref("ConversationUpdate"),
    answer: json("ConversationView"),
  },
  "DELETE /v1/conversations/:id": {
    summary: "Delete a conversation with its runs",
    answer: deleted("conversation.deleted"),
  },
  "GET /v1/conversations/:id/runs": {
    summary: "List the runs of a conversation with their events, oldest first",
    query: [limit(100, 20), after],
    answer: listOf("RunWithEvents", "CorruptView"),
  },
  "POST /v1/conversations/:id/share": {
    summary: "Create a link through which anyone can read a conversation",
    description:
      "Needs the setting `sharing`. The link shows the messages as they are now, and the names of called tools. A new link replaces the earlier one.",
    body: ref("ShareRequest"),
    answer: json("CreatedShare"),
  },
  "GET /v1/conversations/:id/share": {
    summary: "Read when a conversation was shared",
    answer: json("ShareView"),
  },
  "DELETE /v1/conversations/:id/share": {
    summary: "Revoke the link to a conversation",
    answer: deleted("conversation.share.deleted"),
  },
  "GET /v1/shares": {
    summary: "List the links to conversations, newest first",
    answer: listOf("ShareView"),
  },
  "GET /v1/shared": {
    summary: "Read a shared conversation",
    description: "The token of the link is the bearer token. No other key is needed.",
    isOptional: true,
    answer: json("SharedConversation"),
  },
  "GET /v1/conversations/:id/variables": {
    summary: "List variables without their values",
    query: [
      limit(1_000, 1_000),
      text("search", "Only variables with this text in their name or description."),
      word("type", "Only variables of this type.", [
        "RULE",
        "ToolCallResult",
        "ToolCallArgs",
        "MessageCache",
        "LLMAdd",
        "USER_ADD",
      ]),
      text("tag", "Only variables with this tag."),
    ],
    answer: listOf("VariableView", "CorruptView"),
  },
  "GET /v1/conversations/:id/variables/:name": {
    summary: "Read a slice of a variable's text",
    query: [
      number("start", "The first character."),
      number("length", "The number of characters. By default, up to the end."),
    ],
    answer: json("VariableValueView"),
  },
  "PUT /v1/conversations/:id/variables/:name": {
    summary: "Create or change a variable",
    body: ref("VariableUpdate"),
    answer: json("VariableValueView"),
  },
  "DELETE /v1/conversations/:id/variables/:name": {
    summary: "Delete a variable",
    answer: {
      type: "json",
      schema: objectOf({
        name: { type: "string" },
        object: { const: "variable.deleted" },
        deleted: { const: true },
      }),
    },
  },
};
