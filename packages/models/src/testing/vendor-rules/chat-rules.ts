import {
  type Fields,
  hasTwice,
  isBlank,
  isImageAddress,
  isObjectText,
  list,
  toolNameProblems,
} from "./rule-checks.ts";

/**
 * Checks requests to OpenAI's Chat Completions. Sources:
 * platform.openai.com/docs/api-reference/chat/create and /docs/guides/function-calling; the API's
 * errors say that an id has at most 40 characters.
 */
export function chatRules(body: Fields): readonly string[] {
  const messages = list(body["messages"]);
  const tools = list(body["tools"]).map((tool) => (tool["function"] as Fields)["name"]);
  const problems = [...toolNameProblems(tools, /^[a-zA-Z0-9_-]{1,64}$/)];
  if (messages.length === 0) problems.push("no messages");
  const ids: unknown[] = [];
  let open: unknown[] = [];
  for (const [index, message] of messages.entries()) {
    const say = (what: string) => problems.push(`messages[${index}]: ${what}`);
    if (message["role"] === "tool") {
      if (!open.includes(message["tool_call_id"])) say("a result without a call before it");
      open = open.filter((id) => id !== message["tool_call_id"]);
      if (isBlank(message["content"])) say("an empty result");
      continue;
    }
    if (open.length > 0) say(`${open.length} calls have no result before it`);
    open = [];
    const calls = list(message["tool_calls"]);
    for (const call of calls) {
      const { name, arguments: args } = call["function"] as Fields;
      if (!/^\S{1,40}$/.test(String(call["id"]))) say(`the id ${String(call["id"])}`);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) say(`the name ${String(name)}`);
      if (!isObjectText(args)) say(`arguments ${String(args)}`);
      open.push(call["id"]);
      ids.push(call["id"]);
    }
    if (message["tool_calls"] !== undefined && calls.length === 0) say("an empty list of calls");
    const { content } = message;
    if (Array.isArray(content)) problems.push(...partProblems(list(content), index));
    else if (isBlank(content) && calls.length === 0) say("no content");
    else if (content !== null && typeof content !== "string") say("content that is not text");
  }
  if (open.length > 0) problems.push("calls without a result at the end");
  if (hasTwice(ids)) problems.push("an id twice");
  return problems;
}

/**
 * Checks the additional rules of OpenAI-compatible servers, mostly of their models' chat templates:
 * one system message at the beginning, and alternating roles. Source: the templates of Llama, Gemma
 * and Mistral models ("Conversation roles must alternate user/assistant/user/assistant/…").
 */
export function compatibleRules(body: Fields): readonly string[] {
  const problems = [...chatRules(body)];
  const roles = list(body["messages"]).map(({ role }) => role);
  const system = roles.findLastIndex((role) => role === "system");
  if (system >= 0 && roles.slice(0, system).some((role) => role !== "system"))
    problems.push("a system message after others");
  const turns = roles.filter((role) => role !== "system");
  if (turns[0] !== "user") problems.push(`begins with ${String(turns[0])}`);
  if (turns.at(-1) === "assistant") problems.push("ends with the assistant");
  for (const [index, role] of turns.entries())
    if (role !== "tool" && role === turns[index - 1]) problems.push(`${String(role)} twice`);
  return problems;
}

/** Checks a request, and that it has no fields or parts that only other servers support. */
export function openaiChatRules(body: Fields): readonly string[] {
  const messages = list(body["messages"]);
  const unknown = messages.flatMap((message) => [
    ...("reasoning_content" in message ? ["reasoning_content"] : []),
    ...list(message["content"]).flatMap(({ type }) => (type === "video_url" ? ["video"] : [])),
  ]);
  return [...chatRules(body), ...unknown];
}

function partProblems(parts: readonly Fields[], index: number): string[] {
  const problems = parts.flatMap((part) => {
    switch (part["type"]) {
      case "text":
        return isBlank(part["text"]) ? ["an empty text"] : [];
      case "image_url":
        return isImageAddress((part["image_url"] as Fields)["url"])
          ? []
          : ["an image without a type"];
      case "video_url":
        return [];
      case "input_audio":
        return /^(?:wav|mp3)$/.test(String((part["input_audio"] as Fields)["format"]))
          ? []
          : ["audio without a type"];
      case "file":
        return String((part["file"] as Fields)["file_data"]).startsWith("data:application/pdf;")
          ? []
          : ["a file that is not a PDF"];
      default:
        return [`a part of type ${String(part["type"])}`];
    }
  });
  if (parts.length === 0) problems.push("no parts");
  return problems.map((problem) => `messages[${index}]: ${problem}`);
}
