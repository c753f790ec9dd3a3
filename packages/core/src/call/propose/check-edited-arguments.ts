import type { PreparedArguments } from "../../arguments/prepare-arguments.ts";
import type { Tool } from "../../tool/tool.ts";
import { checkArguments } from "./check-arguments.ts";
import type { Gate } from "../gate/gate.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * Checks arguments that a person put in place of the requested ones, as the model's are checked, and
 * copies them. References in them are not resolved.
 */
export function checkEditedArguments(
  { patternEngine }: Pick<Gate, "patternEngine">,
  tool: Tool,
  edited: unknown,
): PreparedArguments | Promise<PreparedArguments> {
  const { parsed } = readArguments(edited);
  return parsed.status === "failed"
    ? { status: "invalid", error: parsed.error }
    : checkArguments(tool, parsed.args, patternEngine);
}
