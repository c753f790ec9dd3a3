import {
  type Fields,
  hasTwice,
  isBlank,
  isObject,
  list,
  sameMembers,
  toolNameProblems,
} from "./rule-checks.ts";

/**
 * Checks requests to Anthropic's Messages API. Sources: platform.claude.com/docs/en/api/messages,
 * /docs/en/agents-and-tools/tool-use/implement-tool-use (results right after their calls and before
 * any text) and /docs/en/build-with-claude/extended-thinking (thinking first, with its signature,
 * never last). The API's errors say that text must not be blank.
 */
export function anthropicRules(body: Fields): readonly string[] {
  const messages = list(body["messages"]);
  const tools = list(body["tools"]).map(({ name }) => name);
  const problems = [...toolNameProblems(tools, /^[a-zA-Z0-9_-]{1,64}$/)];
  if (messages[0]?.["role"] !== "user") problems.push("does not begin with the user");
  if (messages.at(-1)?.["role"] !== "user") problems.push("does not end with the user");
  if (list(body["system"]).some(({ text }) => isBlank(text))) problems.push("a blank system text");
  const ids: unknown[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = list(content);
    const say = (what: string) => problems.push(`messages[${index}]: ${what}`);
    if (role !== "user" && role !== "assistant") say(`the role ${String(role)}`);
    if (role === messages[index - 1]?.["role"]) say(`${String(role)} twice`);
    if (blocks.length === 0) say("no content");
    for (const block of blocks) for (const problem of blockProblems(block)) say(problem);
    const called = role === "assistant" ? idsOf(blocks, "tool_use", "id") : [];
    ids.push(...called);
    const next = list(messages[index + 1]?.["content"]);
    const answered = idsOf(next, "tool_result", "tool_use_id");
    if (role === "assistant" && !sameMembers(called, answered)) say("calls and results differ");
    if (role === "user") {
      const lastResult = blocks.findLastIndex(({ type }) => type === "tool_result");
      if (blocks.slice(0, lastResult + 1).some(({ type }) => type !== "tool_result"))
        say("something before a result");
      if (index === 0 && lastResult >= 0) say("results without calls");
    }
    const thinking = blocks.map(({ type }) => String(type).endsWith("thinking"));
    if (thinking.at(-1) === true) say("thinking at the end");
    if (thinking.includes(true) && thinking[0] !== true) say("something before the thinking");
  }
  if (hasTwice(ids)) problems.push("an id twice");
  if (ids.length > 0 && tools.length === 0) problems.push("calls without tools");
  return problems;
}

function idsOf(blocks: readonly Fields[], type: string, key: string): readonly unknown[] {
  return blocks.flatMap((block) => (block["type"] === type ? [block[key]] : []));
}

function blockProblems(block: Fields): string[] {
  switch (block["type"]) {
    case "text":
      return isBlank(block["text"]) ? ["a blank text"] : [];
    case "thinking":
      return isBlank(block["signature"]) ? ["thinking without a signature"] : [];
    case "redacted_thinking":
      return isBlank(block["data"]) ? ["redacted thinking without data"] : [];
    case "tool_use":
      return [
        ...(/^[a-zA-Z0-9_-]{1,64}$/.test(String(block["id"])) ? [] : ["an illegal id"]),
        ...(/^[a-zA-Z0-9_-]{1,64}$/.test(String(block["name"])) ? [] : ["an illegal name"]),
        ...(isObject(block["input"]) ? [] : ["an input that is not an object"]),
      ];
    case "tool_result": {
      const { content } = block;
      if (typeof content === "string") return isBlank(content) ? ["an empty result"] : [];
      return list(content).length === 0
        ? ["an empty result"]
        : list(content).flatMap(blockProblems);
    }
    case "image":
    case "document":
      return sourceProblems(block);
    default:
      return [`a block of type ${String(block["type"])}`];
  }
}

function sourceProblems({ type, source }: Fields): string[] {
  const { type: kind, media_type: mediaType, url, data } = source as Fields;
  if (kind === "url") return /^https?:/.test(String(url)) ? [] : ["a file without a URL"];
  const known =
    type === "image" ? /^image\/(?:png|jpeg|gif|webp)$/ : /^(?:application\/pdf|text\/plain)$/;
  return kind === "base64" && known.test(String(mediaType)) && !isBlank(data)
    ? []
    : [`${String(type)} of type ${String(mediaType)}`];
}
