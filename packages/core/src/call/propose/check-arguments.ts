import { type PreparedArguments, prepareArguments } from "../../arguments/prepare-arguments.ts";
import type { PatternEngine } from "../../arguments/pattern-check.ts";
import { errorMessage } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Tool } from "../../tool/tool.ts";

/**
 * Stage 4: whether arguments fit a tool, by its schema and its own check; what can be repaired
 * without loss is. A promise only where the tool's own check needs one.
 *
 * @param patternEngine for patterns that JavaScript's own engine could hang on; without it they
 *   are not enforced
 * @returns the arguments that would run, or an error that says what does not fit
 * @example await checkArguments(viewFile, { path: 5 }) // valid, with path "5"
 */
export function checkArguments(
  tool: Tool,
  args: JsonObject,
  patternEngine?: PatternEngine,
): PreparedArguments | Promise<PreparedArguments> {
  const { name, parameters } = tool.definition.function;
  const prepared = prepareArguments(args, parameters, { pattern: patternEngine });
  if (prepared.status === "invalid" || tool.check === undefined) return prepared;
  try {
    const problems = tool.check(prepared.args);
    if (!(problems instanceof Promise)) return refuseFor(name, problems) ?? prepared;
    return problems.then(
      (found) => refuseFor(name, found) ?? prepared,
      (thrown: unknown) => checkFailed(name, thrown),
    );
  } catch (thrown) {
    return checkFailed(name, thrown);
  }
}

function refuseFor(name: string, problems: readonly string[]): PreparedArguments | undefined {
  if (problems.length === 0) return undefined;
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const message = `The arguments of ${name} were refused:\n${list}\nCorrect them and call again.`;
  return { status: "invalid", error: { code: "invalid_arguments", message } };
}

function checkFailed(name: string, thrown: unknown): PreparedArguments {
  const message = `${name} could not check its arguments: ${errorMessage(thrown)}`;
  return { status: "invalid", error: { code: "check_failed", message } };
}
