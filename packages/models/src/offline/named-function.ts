import type { ModelRequest, ToolDefinition } from "@capstan/core";
import type { Command } from "./plan-reply.ts";
import { exampleOf } from "./help-text.ts";

/**
 * Returns a call of the function that a message without commands asks for: the function of the tool
 * choice, or the only function whose words are in the text. Clients name their functions like
 * `get_weather`; tools of the server, which begin with a capital, are called by commands only.
 *
 * @example namedFunction({ messages: [], tools: [getWeather] }, "What is the weather in Kiel?");
 */
export function namedFunction(
  { tools, toolChoice = "auto" }: ModelRequest,
  text: string,
): Command | undefined {
  if (toolChoice === "none") return undefined;
  const functions = tools.filter(({ function: { name } }) => /^[a-z]/.test(name));
  const chosen =
    typeof toolChoice === "object"
      ? functions.filter(({ function: { name } }) => name === toolChoice.name)
      : functions.filter((tool) => isNamed(tool, text));
  const isForced = toolChoice === "required" && chosen.length === 0;
  const [only, ...others] = isForced ? functions : chosen;
  if (only === undefined || others.length > 0) return undefined;
  const { name, parameters } = only.function;
  const args = parameters === undefined ? {} : exampleOf(parameters, { name: "", tool: name }, 0);
  return { name, arguments: JSON.stringify(args), forced: false };
}

/** Verbs at the start of names, which users rarely write. */
const verbs: ReadonlySet<string> = new Set(["get", "fetch", "read", "list", "find", "current"]);

/** Whether a name has several words, and all of them except verbs occur in the text. */
function isNamed({ function: { name } }: ToolDefinition, text: string): boolean {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const nouns = words.filter((word) => word !== "" && !verbs.has(word));
  const said = new Set(text.toLowerCase().match(/[a-z0-9]+/g));
  return words.length > 1 && nouns.length > 0 && nouns.every((word) => said.has(word));
}
