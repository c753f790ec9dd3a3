import type { PreparedArguments } from "../../arguments/prepare-arguments.ts";
import type { Tool } from "../../tool/tool.ts";
import { checkArguments } from "./check-arguments.ts";
import type { Gate } from "../gate/gate.ts";
import { givenArguments } from "./given-arguments.ts";

/**
 * Arguments that a person put in place of those that were asked about: a copy of its own, checked
 * as the model's are. References in them are not resolved: they are what the person wrote.
 */
export function editedArguments(
  { patternEngine }: Pick<Gate, "patternEngine">,
  tool: Tool,
  edited: unknown,
): PreparedArguments | Promise<PreparedArguments> {
  const { parsed } = givenArguments(edited);
  return parsed.status === "failed"
    ? { status: "invalid", error: parsed.error }
    : checkArguments(tool, parsed.args, patternEngine);
}
