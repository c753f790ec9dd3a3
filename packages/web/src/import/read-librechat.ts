import {
  branchTo,
  type ImportedChat,
  type ImportedMessage,
  objectOf,
  objectsIn,
  textOf,
  timeOf,
  titleOf,
  type Untrusted,
} from "./imported-chat.ts";

/** Whether an object is an export of LibreChat, which has one chat. */
export function isLibreChat(chat: Untrusted): boolean {
  return Array.isArray(chat["messages"]) && typeof chat["conversationId"] === "string";
}

/** Reads a chat of LibreChat: a list of messages with their parents, or a tree of replies. */
export function readLibreChat(chat: Untrusted): ImportedChat {
  const listed = objectsIn(chat["messages"] as readonly unknown[]);
  const branch = listed.some(({ children }) => Array.isArray(children) && children.length > 0)
    ? lastReplies(listed)
    : lastBranch(listed);
  const [first] = branch;
  return {
    title: titleOf(chat["title"]),
    createdAt: timeOf(first?.["createdAt"] ?? chat["exportAt"]),
    messages: branch.flatMap((message) => messageOf(message) ?? []),
  };
}

/** Follows the last reply of each message. */
function lastReplies(messages: readonly Untrusted[]): readonly Untrusted[] {
  const branch: Untrusted[] = [];
  let next = messages.at(-1);
  while (next !== undefined && !branch.includes(next)) {
    branch.push(next);
    const { children } = next;
    next = Array.isArray(children) ? objectOf(children.at(-1)) : undefined;
  }
  return branch;
}

function lastBranch(messages: readonly Untrusted[]): readonly Untrusted[] {
  const byId = Object.fromEntries(
    messages.map((message) => [String(message["messageId"]), message]),
  );
  const last = messages.at(-1)?.["messageId"];
  const branch = branchTo(last, byId, (message) => message["parentMessageId"]);
  // Older exports have no parents.
  return branch.length > 1 ? branch : messages;
}

function messageOf(message: Untrusted): ImportedMessage | undefined {
  const text = textOf(message["text"]) || textOf(message["content"]);
  if (text === "" || message["error"] === true) return undefined;
  return { role: message["isCreatedByUser"] === true ? "user" : "assistant", text };
}
