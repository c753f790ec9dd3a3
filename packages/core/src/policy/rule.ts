import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolArgs } from "../base/json.ts";
import {
  type ArgumentConditions,
  conditionsHold,
  narrowness,
} from "../arguments/argument-conditions.ts";
import type { ExecutionDecision, ResultApprovalPolicy } from "../tool/permission.ts";

/** A rule as data: an administrator's, or a user's override. */
export interface PolicyRule {
  /** `files.ViewFile`, `files.*` or `*`. */
  readonly tool: string;
  /** Only for calls with such arguments. @default every call */
  readonly when?: ArgumentConditions;
  readonly execution?: ExecutionDecision;
  readonly result?: ResultApprovalPolicy;
  /** Milliseconds that a question about such a call stays open. @default the tool's, else the gate's */
  readonly approvalMs?: number;
  /** Shown to the person who is asked, or to the model that is refused. */
  readonly reason?: string;
}

/** The call that rules are about. */
export interface RuledCall {
  readonly toolId: string;
  /** As rules see them: see `ToolPermission.canonicalArguments`. */
  readonly args: ToolArgs;
}

/**
 * What rules of one source say of a call; undefined where they say nothing. A deny that matches
 * wins; else the most specific one: a tool before its group before `*`, then more conditions, then
 * longer patterns, then the stricter word.
 */
export function executionRule(
  rules: readonly PolicyRule[],
  call: RuledCall,
): PolicyRule | undefined {
  return choose(rules, call, "execution", executionStrictness);
}

/** The same of its result. Nothing is denied there, so that the most specific one counts. */
export function resultRule(rules: readonly PolicyRule[], call: RuledCall): PolicyRule | undefined {
  return choose(rules, call, "result", resultStrictness);
}

/** The rule that says how long a question stays open; of two alike the shorter. */
export function approvalTimeRule(
  rules: readonly PolicyRule[],
  call: RuledCall,
): PolicyRule | undefined {
  return choose(rules, call, "approvalMs", (ms) => -ms);
}

export const executionStrictness = (word: ExecutionDecision): number =>
  executionWords.indexOf(word);
const executionWords: readonly ExecutionDecision[] = ["auto", "ask-once", "ask-always", "deny"];

export const resultStrictness = (word: ResultApprovalPolicy): number => resultWords.indexOf(word);
const resultWords: readonly ResultApprovalPolicy[] = ["never", "on-error", "always"];

type Field = "execution" | "result" | "approvalMs";
type Word<F extends Field> = Exclude<PolicyRule[F], undefined>;

function choose<F extends Field>(
  rules: readonly PolicyRule[],
  call: RuledCall,
  field: F,
  strictness: (word: Word<F>) => number,
): PolicyRule | undefined {
  let best: PolicyRule | undefined;
  let bestRank: readonly number[] = [];
  for (const rule of rules) {
    const word = rule[field] as Word<F> | undefined;
    if (word === undefined || !covers(rule, call, word)) continue;
    if (word === "deny") return rule;
    const rank = [...specificity(rule), strictness(word)];
    if (best === undefined || isAbove(rank, bestRank)) {
      best = rule;
      bestRank = rank;
    }
  }
  return best;
}

/** Whether a rule for `tool` is about this one: by its name, by its group's, or `*`. */
export function namesTool(tool: string, toolId: string): boolean {
  return (
    tool === "*" || tool === toolId || (tool.endsWith(".*") && toolId.startsWith(tool.slice(0, -1)))
  );
}

function covers(rule: PolicyRule, { toolId, args }: RuledCall, word: unknown): boolean {
  const { tool, when } = rule;
  if (!namesTool(tool, toolId)) return false;
  const loosens = word === "auto" || word === "never";
  return when === undefined || conditionsHold(when, args, loosens ? "every" : "some");
}

/** How narrow a rule is: compare with `isAbove`. */
export function specificity({ tool, when }: PolicyRule): readonly number[] {
  return [tool === "*" ? 0 : tool.endsWith(".*") ? 1 : 2, ...narrowness(when)];
}

/** Whether the first of two ranks is the higher one. */
export function isAbove(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value > against;
  }
  return false;
}

/** A call as rules see it. Its arguments are brought into form when a rule first looks at them. */
export function ruledCall(registered: RegisteredTool, args: ToolArgs): RuledCall {
  return new CallOfTool(registered, args);
}

class CallOfTool implements RuledCall {
  readonly toolId: string;
  readonly #tool: Tool;
  readonly #given: ToolArgs;
  #canonical: ToolArgs | undefined;

  constructor({ id, tool }: RegisteredTool, given: ToolArgs) {
    this.toolId = id;
    this.#tool = tool;
    this.#given = given;
  }

  get args(): ToolArgs {
    return (this.#canonical ??= canonicalArguments(this.#tool, this.#given));
  }
}

/** Arguments in the one way to write them; as they are where the tool cannot tell. */
export function canonicalArguments({ permission }: Tool, args: ToolArgs): ToolArgs {
  try {
    return permission?.canonicalArguments?.(args) ?? args;
  } catch {
    return args;
  }
}
