import { isObject } from "../arguments/json-type.ts";
import { list, type Problem, text } from "./shape-problem.ts";

/** Why this is no message, or would be none to a provider. */
export function messageProblem(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a message" };
  const { role, content, tool_calls: calls = [] } = value;
  if (!roles.has(role))
    return { path: `${path}.role`, value: role, expected: [...roles].join(", ") };
  const isList = Array.isArray(content) && role === "user";
  if (typeof content !== "string" && !isList)
    return { path: `${path}.content`, value: content, expected: "a text" };
  return list(calls, `${path}.tool_calls`, request);
}

const roles: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool"]);

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
