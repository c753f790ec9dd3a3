import { isObject } from "../json/json-value.ts";
import type { ToolArgs } from "../base/json.ts";
import { conditionsHold } from "../arguments/argument-conditions.ts";
import type { ApprovalRequest, GrantCover } from "./approval.ts";
import { conditionProblems } from "./rule-problems.ts";

export interface AnswerProblemOptions {
  /** From outside: nothing is known of it. */
  readonly decision: unknown;
  readonly approval: Pick<ApprovalRequest, "args" | "grant">;
  /** The call's arguments as rules see them. @default the approval's */
  readonly args?: ToolArgs;
  readonly now: number;
}

/**
 * Why an answer cannot be taken, in a sentence; undefined where it is an `ApprovalDecision` that
 * fits its question. A yes must be a yes, and cover what it is said about.
 */
export function answerProblem(options: AnswerProblemOptions): string | undefined {
  const { decision, approval, now, args = approval.args } = options;
  if (!isObject(decision) || !["allow", "refuse"].includes(decision["decision"] as string))
    return 'decision: expected "allow" or "refuse".';
  if (decision["decision"] === "refuse") {
    const { reason } = decision;
    return reason === undefined || typeof reason === "string"
      ? undefined
      : "reason: expected words that say why.";
  }
  const { scope = "once", covers, expiresAt, arguments: edited } = decision;
  if (!scopes.includes(scope)) return "scope: expected once, session or always.";
  if (edited !== undefined && !isObject(edited))
    return 'arguments: expected a JSON object such as {"path": "."}.';
  if (scope === "once") {
    const given = covers !== undefined ? "covers" : expiresAt !== undefined && "expiresAt";
    return given === false
      ? undefined
      : `${given}: this is for answers that hold longer. Give scope session or always, too.`;
  }
  if (edited !== undefined)
    return "scope: changed arguments are for this call alone. Answer once, or leave the arguments as they are.";
  if (approval.grant === undefined)
    return "scope: a rule asks every time, so that an answer is for this call alone. Answer once.";
  if (expiresAt !== undefined && !(Number.isFinite(expiresAt) && (expiresAt as number) > now))
    return "expiresAt: expected a time to come, in milliseconds since the epoch.";
  return covers === undefined ? undefined : coverProblem(covers, args);
}

function coverProblem(covers: unknown, args: ToolArgs): string | undefined {
  const type = isObject(covers) ? covers["type"] : undefined;
  if (type !== "pattern")
    return ["offer", "arguments", "tool"].includes(type as string)
      ? undefined
      : "covers.type: expected offer, arguments, pattern or tool.";
  const { when } = covers as Extract<GrantCover, { readonly type: "pattern" }>;
  const [problem] = conditionProblems(when, ["covers", "when"]);
  if (problem !== undefined) return `${problem.path.join(".")}: ${problem.message}`;
  return conditionsHold(when, args, "every")
    ? undefined
    : "covers.when: this pattern does not cover the call that is asked about. Widen it, or answer once.";
}

const scopes: readonly unknown[] = ["once", "session", "always"];
