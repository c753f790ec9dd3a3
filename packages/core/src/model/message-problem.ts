import { isObject } from "../json/json-type.ts";
import { isContentPart } from "./content-parts.ts";
import { listProblem, type Members, type ShapeProblem, textProblem } from "./shape-problem.ts";

/** Why this is no message, or would be none to a provider. */
export function messageProblem(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a message" };
  const { role, content, tool_calls: calls = [], reasoning = [] } = value;
  switch (role) {
    case "system":
    case "developer":
      return textProblem(value, "content", path);
    case "user":
      return Array.isArray(content)
        ? partsProblem(value, "content", path)
        : textProblem(value, "content", path);
    case "assistant":
      return (
        textProblem(value, "content", path) ??
        listProblem(calls, `${path}.tool_calls`, request) ??
        listProblem(reasoning, `${path}.reasoning`, thought)
      );
    case "tool":
      return (
        textProblem(value, "content", path) ??
        textProblem(value, "tool_call_id", path) ??
        (value["name"] === undefined ? undefined : textProblem(value, "name", path)) ??
        (value["parts"] === undefined ? undefined : partsProblem(value, "parts", path))
      );
    default:
      return { path: `${path}.role`, value: role, expected: roles };
  }
}

const roles = "system, developer, user, assistant or tool";

/** Why these are no parts of a message. */
export function partsProblem(of: Members, key: string, path: string): ShapeProblem | undefined {
  return listProblem(of[key], `${path}.${key}`, (part, at) =>
    isContentPart(part) ? undefined : { path: at, value: part, expected: aPart },
  );
}

const aPart =
  'a part of a message such as {"type":"text","text":"…"} or {"type":"image","mimeType":"image/png","source":{"type":"url","url":"…"}}';

function thought(value: unknown, path: string): ShapeProblem | undefined {
  return isObject(value)
    ? textProblem(value, "text", path)
    : { path, value, expected: "a piece of reasoning" };
}

function request(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call" };
  const called = value["function"];
  if (!isObject(called)) return { path: `${path}.function`, value: called, expected: "an object" };
  return (
    textProblem(value, "id", path) ??
    textProblem(called, "name", `${path}.function`) ??
    textProblem(called, "arguments", `${path}.function`)
  );
}
