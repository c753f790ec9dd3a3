import {
  branchTo,
  type ImportedChat,
  type ImportedMessage,
  objectOf,
  textOf,
  timeOf,
  titleOf,
  type Untrusted,
} from "./imported-chat.ts";

/** Whether a list of chats is ChatGPT's `conversations.json`. */
export function isChatGpt(chat: Untrusted): boolean {
  return objectOf(chat["mapping"]) !== undefined;
}

/** Reads a chat of ChatGPT: a tree of messages and the node that was shown last. */
export function readChatGpt(chat: Untrusted): ImportedChat {
  const nodes = objectOf(chat["mapping"]);
  const branch = branchTo(chat["current_node"] ?? lastOf(nodes), nodes, (node) => node["parent"]);
  return {
    title: titleOf(chat["title"]),
    createdAt: timeOf(chat["create_time"]),
    messages: branch.flatMap((node) => messageOf(objectOf(node["message"])) ?? []),
  };
}

function lastOf(nodes: Untrusted | undefined): string | undefined {
  return Object.keys(nodes ?? {}).at(-1);
}

function messageOf(message: Untrusted | undefined): ImportedMessage | undefined {
  const role = objectOf(message?.["author"])?.["role"];
  if (message === undefined || (role !== "user" && role !== "assistant")) return undefined;
  // Messages to a tool are its calls.
  const to = message["recipient"];
  const isHidden = objectOf(message["metadata"])?.["is_visually_hidden_from_conversation"] === true;
  if (isHidden || (typeof to === "string" && to !== "all")) return undefined;
  const content = objectOf(message["content"]);
  const type = content?.["content_type"];
  if (type !== "text" && type !== "multimodal_text") return undefined;
  const text = textOf(content?.["parts"]);
  return text === "" ? undefined : { role, text };
}
