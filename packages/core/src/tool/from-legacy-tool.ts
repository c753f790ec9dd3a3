import { isObject } from "../json/json-value.ts";
import { toolError } from "./return-value.ts";
import type { Tool } from "./tool.ts";

/** The codes of results that are not a success, by their `status`. */
const codes: ReadonlyMap<string, string> = new Map([
  ["error", "tool_failed"],
  ["execution_rejected", "tool_refused"],
  ["result_rejected", "tool_refused"],
  ["not_found", "not_found"],
]);

/**
 * Converts a tool whose `execute` returns results of the form `{status: "success", data}` or
 * `{status: "error", error}`. Without this, the whole object would count as the data of a success,
 * also if it reports a failure. A value without a known `status` is data.
 *
 * @example
 * const tool = fromLegacyTool({ definition, execute: async () => ({ status: "error", error: "No such boat." }) });
 * // A call fails with the code `tool_failed` and this message.
 */
export function fromLegacyTool(tool: Tool): Tool {
  const { execute } = tool;
  if (execute === undefined) return tool;
  return { ...tool, execute: async (args, context) => resultOf(await execute(args, context)) };
}

function resultOf(returned: unknown): unknown {
  if (!isObject(returned) || typeof returned["status"] !== "string") return returned;
  const { data, error, rejectReason } = returned;
  const status = returned["status"].toLowerCase();
  if (status === "success") return data ?? null;
  const code = codes.get(status);
  if (code === undefined) return returned;
  const message = [error, rejectReason, data].find((text) => typeof text === "string");
  return toolError({
    code,
    message: message ?? `The tool reported the status "${status}" without a reason.`,
  });
}
