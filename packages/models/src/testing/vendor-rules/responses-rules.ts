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
 * Checks requests to OpenAI's Responses API that store nothing. Sources:
 * platform.openai.com/docs/api-reference/responses/create and /docs/guides/reasoning: the API
 * rejects a reasoning item without the item that follows it, and needs its encrypted content if
 * nothing is stored.
 */
export function responsesRules(body: Fields): readonly string[] {
  const input = list(body["input"]);
  const tools = list(body["tools"]).map(({ name }) => name);
  const problems = [...toolNameProblems(tools, /^[a-zA-Z0-9_-]{1,64}$/)];
  if (input.length === 0) problems.push("no input");
  if (body["store"] !== false) problems.push("stored");
  const calls: unknown[] = [];
  const outputs: unknown[] = [];
  for (const [index, item] of input.entries()) {
    const say = (what: string) => problems.push(`input[${index}]: ${what}`);
    switch (item["type"] ?? "message") {
      case "message":
        for (const problem of messageProblems(item)) say(problem);
        break;
      case "reasoning": {
        const next = input[index + 1];
        const follows = next?.["type"] === "function_call" || next?.["role"] === "assistant";
        if (!follows && next?.["type"] !== "reasoning") say("reasoning without a following item");
        if (typeof item["encrypted_content"] !== "string") say("reasoning that is not encrypted");
        if (!Array.isArray(item["summary"])) say("reasoning without a summary");
        break;
      }
      case "function_call":
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item["call_id"]))) say("an illegal call_id");
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(item["name"]))) say("an illegal name");
        if (!isObjectText(item["arguments"])) say(`arguments ${String(item["arguments"])}`);
        calls.push(item["call_id"]);
        break;
      case "function_call_output":
        if (!calls.includes(item["call_id"])) say("an output before its call");
        if (
          typeof item["output"] === "string" ? isBlank(item["output"]) : hasBadPart(item["output"])
        )
          say("an output without content");
        outputs.push(item["call_id"]);
        break;
      default:
        say(`type ${String(item["type"])}`);
    }
  }
  const ids = input.flatMap(({ type, id }) => (type === "reasoning" ? [id] : []));
  if (hasTwice(ids)) problems.push("a repeated reasoning item");
  if (hasTwice(calls)) problems.push("a call_id twice");
  if (hasTwice(outputs)) problems.push("two outputs of a call");
  if (calls.length !== outputs.length) problems.push("calls without an output");
  return problems;
}

function messageProblems({ role, content }: Fields): string[] {
  if (!["user", "assistant", "system", "developer"].includes(String(role))) return ["no role"];
  if (typeof content === "string") return isBlank(content) ? ["no content"] : [];
  return hasBadPart(content) ? ["a bad part"] : [];
}

function hasBadPart(content: unknown): boolean {
  const parts = list(content);
  return (
    parts.length === 0 ||
    parts.some((part) => {
      switch (part["type"]) {
        case "input_text":
        case "output_text":
          return isBlank(part["text"]);
        case "input_image":
          return !isImageAddress(part["image_url"]);
        case "input_file":
          return !/^(?:https?:|data:application\/pdf;base64,)/.test(
            String(part["file_url"] ?? part["file_data"]),
          );
        default:
          return true;
      }
    })
  );
}
