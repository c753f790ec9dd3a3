import { isObject } from "../json/json-type.ts";
import { isContentPart } from "./content-parts.ts";
import { list, type Members, type Problem, text } from "./shape-problem.ts";

/** Why this is no message, or would be none to a provider. */
export function messageProblem(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a message" };
  const { role, content, tool_calls: calls = [], reasoning = [] } = value;
  switch (role) {
    case "system":
    case "developer":
      return text(value, "content", path);
    case "user":
      return Array.isArray(content) ? parts(value, "content", path) : text(value, "content", path);
    case "assistant":
      return (
        text(value, "content", path) ??
        list(calls, `${path}.tool_calls`, request) ??
        list(reasoning, `${path}.reasoning`, thought)
      );
    case "tool":
      return (
        text(value, "content", path) ??
        text(value, "tool_call_id", path) ??
        (value["name"] === undefined ? undefined : text(value, "name", path)) ??
        (value["parts"] === undefined ? undefined : parts(value, "parts", path))
      );
    default:
      return { path: `${path}.role`, value: role, expected: roles };
  }
}

const roles = "system, developer, user, assistant or tool";

/** Why these are no parts of a message. */
export function parts(of: Members, key: string, path: string): Problem | undefined {
  return list(of[key], `${path}.${key}`, (part, at) =>
    isContentPart(part) ? undefined : { path: at, value: part, expected: aPart },
  );
}

const aPart =
  'a part of a message such as {"type":"text","text":"…"} or {"type":"image","mimeType":"image/png","source":{"type":"url","url":"…"}}';

function thought(value: unknown, path: string): Problem | undefined {
  return isObject(value)
    ? text(value, "text", path)
    : { path, value, expected: "a piece of reasoning" };
}

function request(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call" };
  const called = value["function"];
  if (!isObject(called)) return { path: `${path}.function`, value: called, expected: "an object" };
  return (
    text(value, "id", path) ??
    text(called, "name", `${path}.function`) ??
    text(called, "arguments", `${path}.function`)
  );
}
