import {
  customInput,
  type PatternEngine,
  parseArguments,
  type PreparedArguments,
  prepareArguments,
} from "@capstan/core/host";
import type { StoredRequest } from "@capstan/store";
import { grammarProblem } from "../../grammar/compile-grammar.ts";

/**
 * Checks a call of a client's tool, as far as the request lists the tool in `checkedTools`: its
 * arguments against the schema, and the text of a custom tool against its grammar.
 *
 * @returns the checked arguments, an error for the model, or `undefined` for an unchecked tool
 */
export function checkClientCall(
  { checkedTools, clientTools }: Pick<StoredRequest, "checkedTools" | "clientTools">,
  { name, arguments: text }: { readonly name: string; readonly arguments: string },
  { patternEngine: pattern }: { readonly patternEngine?: PatternEngine | undefined },
): PreparedArguments | undefined {
  if (checkedTools?.includes(name) !== true) return undefined;
  const tool = clientTools.find((each) => each.function.name === name);
  if (tool === undefined) return undefined;
  const { custom, function: spec } = tool;
  if (custom !== undefined) {
    const input = customInput(text);
    const problem =
      custom.grammar === undefined ? undefined : grammarProblem(custom.grammar, input);
    if (problem === undefined) return { status: "valid", args: { input }, repairs: [] };
    const message = `The input of ${name} does not match its grammar: ${problem} Correct the input and call again.`;
    return { status: "invalid", error: { code: "invalid_arguments", message } };
  }
  const parsed = parseArguments(text);
  if (parsed.status === "failed") return { status: "invalid", error: parsed.error };
  const prepared = prepareArguments(parsed.args, spec.parameters, { pattern });
  return prepared.status === "invalid"
    ? prepared
    : { ...prepared, repairs: [...parsed.repairs, ...prepared.repairs] };
}
