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

/** Whether a chat of a list is one of Open WebUI. */
export function isOpenWebUi(chat: Untrusted): boolean {
  return objectOf(chat["chat"]) !== undefined;
}

/** Reads a chat of Open WebUI: a tree of messages with the shown leaf, or a list of messages. */
export function readOpenWebUi(exported: Untrusted): ImportedChat {
  const chat = objectOf(exported["chat"]) ?? {};
  const history = objectOf(chat["history"]);
  const tree = branchTo(
    history?.["currentId"],
    objectOf(history?.["messages"]),
    (message) => message["parentId"],
  );
  const { messages } = chat;
  const listed = Array.isArray(messages) ? objectsIn(messages) : [];
  return {
    title: titleOf(chat["title"] ?? exported["title"]),
    createdAt: timeOf(exported["created_at"] ?? chat["timestamp"]),
    messages: (tree.length > 0 ? tree : listed).flatMap((message) => messageOf(message) ?? []),
  };
}

function messageOf({ role, content }: Untrusted): ImportedMessage | undefined {
  if (role !== "user" && role !== "assistant") return undefined;
  const text = textOf(content);
  return text === "" ? undefined : { role, text };
}
