import { type Clock, defineToolGroup, type ToolGroup } from "@capstan/core";
import { dateTime } from "./date-time.ts";
import { jsonToInterface } from "./json-to-interface.ts";
import { text } from "./text.ts";

/** Options of the basic tools. */
export interface BasicToolsOptions {
  /** The current time for `DateTime`. @default the system's clock */
  readonly clock?: Clock;
}

/**
 * Dates, text and JSON: `DateTime`, `Text`, `JsonToInterface`. They have no side effects and never
 * need approval.
 *
 * @example const group = basicTools();
 */
export function basicTools(options: BasicToolsOptions = {}): ToolGroup {
  return defineToolGroup({
    name: "basic",
    title: "Basics",
    description: "Dates and time zones, exact text operations, the shape of JSON.",
    tools: [dateTime(options.clock), text(), jsonToInterface()],
    rulePrompt: (enabled) =>
      enabled.includes("DateTime")
        ? "You do not know today's date: call DateTime before you answer anything that depends on it."
        : "",
  });
}
