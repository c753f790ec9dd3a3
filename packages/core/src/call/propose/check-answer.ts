import { isObject } from "../../json/json-value.ts";
import { answerProblem } from "../../policy/answer-problem.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import { forbids } from "../../policy/decide.ts";
import { canonicalArguments } from "../../policy/rule.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import { checkEditedArguments } from "./check-edited-arguments.ts";
import type { Gate } from "../gate/gate.ts";

export interface CheckAnswerOptions {
  readonly gate: Pick<Gate, "rules" | "overrides" | "clock" | "patternEngine">;
  readonly registered: RegisteredTool;
  readonly approval: ApprovalRequest;
  /** From outside: nothing is known of it. */
  readonly decision: unknown;
}

/**
 * Why an answer cannot be taken, in a sentence, so that the question can stay open; undefined
 * where it can. Changed arguments are checked as the model's are, and against the rules.
 */
export async function checkAnswer(options: CheckAnswerOptions): Promise<string | undefined> {
  const { gate, registered, approval, decision } = options;
  const args = canonicalArguments(registered.tool, approval.args);
  const problem = answerProblem({ decision, approval, args, now: gate.clock.now() });
  if (problem !== undefined || !isObject(decision)) return problem;
  const { arguments: edited } = decision;
  if (decision["decision"] !== "allow" || edited === undefined) return undefined;
  const checked = await checkEditedArguments(gate, registered.tool, edited);
  if (checked.status === "invalid") return `arguments: ${checked.error.message}`;
  const { rules } = gate;
  const denial = forbids({ registered, args: checked.args, rules, overrides: gate.overrides() });
  return denial && `arguments: these are not allowed: ${denial.reason}.`;
}
