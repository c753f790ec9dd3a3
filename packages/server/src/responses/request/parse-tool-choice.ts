import type { JsonObject } from "@capstan/core";
import type { ToolChoice } from "@capstan/core/host";
import { failed, invalidRequest, missingParameter, ok, type Parsed } from "../../http/api-error.ts";
import type { ChosenTool, RequestToolChoice, RequestTools } from "./create-request.ts";
import { unsupportedValue, wrongType } from "./issue-error.ts";
import { isObject } from "./without-nulls.ts";

const modes = ["none", "auto", "required"] as const;
type Mode = (typeof modes)[number];

export interface ParsedToolChoice {
  readonly choice: RequestToolChoice;
  readonly echo: string | JsonObject;
}

/** Which tools the model may or must call; only such as the same request declares. */
export function parseToolChoice(given: unknown, tools: RequestTools): Parsed<ParsedToolChoice> {
  if (given === undefined || given === null) return ok({ choice: { type: "auto" }, echo: "auto" });
  if (typeof given === "string") {
    const mode = modeOf(given);
    if (mode === undefined) return failed(unsupportedValue("tool_choice", given, modes));
    return ok({ choice: { type: mode }, echo: mode });
  }
  if (!isObject(given)) return failed(wrongType("tool_choice", "a string or an object", given));
  if (given["type"] === "allowed_tools") return parseAllowed(given, tools);
  const chosen = parseChosen(given, tools, "tool_choice");
  if (chosen.status === "error") return chosen;
  const echo = given as JsonObject;
  return ok({ choice: chosen.value ?? { type: "auto" }, echo });
}

/** What a model can be told of a choice; the rest is a matter of which tools it is offered. */
export function modelToolChoice(choice: RequestToolChoice): ToolChoice | undefined {
  if (choice.type === "function") return choice;
  if (choice.type === "server") return undefined;
  return choice.type === "allowed" ? choice.mode : choice.type;
}

function parseAllowed(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
): Parsed<ParsedToolChoice> {
  const mode = given["mode"] == null ? "auto" : modeOf(given["mode"]);
  if (mode === undefined) return failed(unsupportedValue("tool_choice.mode", given["mode"], modes));
  const list = given["tools"];
  if (list == null) return failed(missingParameter("tool_choice.tools"));
  if (!Array.isArray(list)) return failed(wrongType("tool_choice.tools", "an array", list));
  const allowed: ChosenTool[] = [];
  for (const [index, tool] of list.entries()) {
    const at = `tool_choice.tools[${index}]`;
    if (!isObject(tool)) return failed(wrongType(at, "an object", tool));
    const chosen = parseChosen(tool, tools, at);
    if (chosen.status === "error") return chosen;
    if (chosen.value !== undefined) allowed.push(chosen.value);
  }
  const echo = { ...given, mode } as JsonObject;
  return ok({ choice: { type: "allowed", mode, tools: allowed }, echo });
}

/** Undefined: a declared tool of a type that is carried, which no model is offered. */
function parseChosen(
  given: { readonly [key: string]: unknown },
  tools: RequestTools,
  at: string,
): Parsed<ChosenTool | undefined> {
  const { type } = given;
  if (typeof type !== "string") return failed(missingParameter(`${at}.type`));
  if (type === "function" || type === "custom") {
    const nested = isObject(given["function"]) ? given["function"]["name"] : undefined;
    const name = given["name"] ?? nested;
    if (typeof name !== "string") return failed(missingParameter(`${at}.name`));
    const isDeclared = tools.client.some((tool) => tool.function.name === name);
    return isDeclared ? ok({ type: "function", name }) : undeclared(name);
  }
  if (type === "mcp") {
    const { server_label: label, name } = given;
    if (typeof label !== "string") return failed(missingParameter(`${at}.server_label`));
    if (tools.servers.some((server) => server.label === label)) {
      return ok({ type: "server", label, ...(typeof name === "string" ? { name } : {}) });
    }
    return tools.carried.some((tool) => tool["server_label"] === label)
      ? ok(undefined)
      : undeclared(label);
  }
  return tools.carried.some((tool) => tool["type"] === type) ? ok(undefined) : undeclared(type);
}

function undeclared(what: string): Parsed<never> {
  return failed(
    invalidRequest({
      param: "tool_choice",
      code: "invalid_value",
      message: `Tool choice '${what}' not found in 'tools' parameter.`,
    }),
  );
}

function modeOf(value: unknown): Mode | undefined {
  return modes.find((mode) => mode === value);
}
