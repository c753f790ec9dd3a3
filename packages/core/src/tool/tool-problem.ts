import { compileSchema } from "../arguments/validator.ts";
import type { JsonSchema } from "../base/json.ts";
import { skillRuleProblem } from "./skill-rules.ts";
import type { Tool, ToolGroup } from "./tool.ts";

export const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

const executionPolicies = ["auto", "ask-once", "ask-always", "deny"];
const resultPolicies = ["never", "on-error", "always"];
const effectWords = ["read", "write", "exclusive"];

/** Sessions register the same tools again and again. */
const sound = new WeakSet<Tool>();

/** What is wrong with a tool, as the rest of a sentence about it; undefined where nothing is. */
export function toolProblem(tool: Tool): string | undefined {
  if (sound.has(tool)) return undefined;
  const problem =
    definitionProblem(tool) ??
    callbackProblem(tool) ??
    permissionProblem(tool) ??
    limitProblem(tool) ??
    scheduleProblem(tool);
  if (problem === undefined) sound.add(tool);
  return problem;
}

/** What is wrong with a group itself: its name, two tools of one name, or what it says to the model. */
export function groupProblem(group: ToolGroup): string | undefined {
  const { name, tools, rulePrompt = "" } = group;
  if (typeof name !== "string" || !namePattern.test(name)) {
    return `The group name "${name}" does not fit ${namePattern.source}. Use a short id here and put what people read into "title".`;
  }
  if (!Array.isArray(tools)) return `The group "${name}" has no list of tools.`;
  const names = new Set<unknown>();
  for (const tool of tools as readonly Tool[]) {
    const toolName = nameOf(tool);
    if (names.has(toolName))
      return `The group "${name}" has two tools named "${String(toolName)}". Names are unique within a group.`;
    names.add(toolName);
  }
  if (typeof rulePrompt !== "string" && typeof rulePrompt !== "function")
    return `The rulePrompt of the group "${name}" is neither text nor a function.`;
  return skillRuleProblem(group);
}

export function nameOf(tool: Tool): unknown {
  return (tool as Partial<Tool> | undefined)?.definition?.function?.name;
}

function definitionProblem(tool: Tool): string | undefined {
  const name = nameOf(tool);
  if (typeof name !== "string" || !namePattern.test(name))
    return `its name does not fit ${namePattern.source}, which is what every provider accepts`;
  if (tool.execute !== undefined && typeof tool.execute !== "function")
    return "its execute is no function; leave it out where a client runs the tool";
  if (tool.final === true && tool.execute === undefined)
    return "it is final and has no execute; a client's tool cannot give the answer";
  if (tool.final === true && tool.speaks === "hidden")
    return 'it is final and speaks: "hidden"; what gives the answer cannot be silent';
  const { declaredReturnType } = tool;
  if (declaredReturnType !== undefined && typeof declaredReturnType.type !== "string")
    return "its declaredReturnType has no type, which is text for the model";
  const returns = declaredReturnType?.schema;
  const problem = returns === undefined ? undefined : schemaProblem(returns);
  return problem === undefined ? undefined : `the schema of its return type is refused: ${problem}`;
}

function schemaProblem(schema: JsonSchema): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return "A JSON Schema is an object.";
  const compiled = compileSchema(schema);
  return compiled.status === "refused" ? compiled.message : undefined;
}

const callbacks = [
  "check",
  "formatForLLM",
  "truncateForLLM",
  "compressArgs",
  "compressResult",
] as const;

function callbackProblem(tool: Tool): string | undefined {
  const wrong = callbacks.find((name) => typeof (tool[name] ?? callbackProblem) !== "function");
  return wrong === undefined ? undefined : `its ${wrong} is no function`;
}

function limitProblem(tool: Tool): string | undefined {
  for (const name of ["DEFAULT_OUTPUT_LIMIT_CHAR", "DEFAULT_OUTPUT_LIMIT_TOKENS"] as const)
    if (!Number.isInteger(tool[name] ?? 0)) return `its ${name} is no whole number; 0 is no limit`;
  return undefined;
}

function permissionProblem({ permission, effects = "write" }: Tool): string | undefined {
  const { executionPolicy = "ask-once", resultApprovalPolicy = "never" } = permission ?? {};
  const { approvalMs = 1 } = permission ?? {};
  if (typeof executionPolicy !== "function" && !executionPolicies.includes(executionPolicy))
    return `its executionPolicy is none of ${executionPolicies.join(", ")}`;
  if (!resultPolicies.includes(resultApprovalPolicy))
    return `its resultApprovalPolicy is none of ${resultPolicies.join(", ")}`;
  if (!(approvalMs > 0)) return "its approvalMs is not above 0";
  const known =
    typeof effects === "string"
      ? effectWords.includes(effects)
      : typeof effects.locks === "function";
  return known ? undefined : `its effects are none of ${effectWords.join(", ")} or { locks }`;
}

function scheduleProblem(tool: Tool): string | undefined {
  const { timeoutMs = 1, maxConcurrent = 1, retry } = tool;
  if (!(timeoutMs > 0)) return "its timeoutMs is not above 0; Infinity is no deadline";
  if (!(Number.isInteger(maxConcurrent) && maxConcurrent > 0))
    return "its maxConcurrent is not a whole number above 0";
  if (retry === undefined) return undefined;
  const { attempts, baseMs = 0, maxMs = 0 } = retry;
  if (!(Number.isInteger(attempts) && attempts >= 2 && attempts <= 10))
    return "its retry.attempts is not a whole number from 2 to 10";
  if (!(baseMs >= 0 && maxMs >= 0)) return "a wait of its retry is below 0";
  if (!mayRunAgain(tool))
    return 'it is tried again on failure, but neither declares effects: "read" nor idempotent: true';
  return undefined;
}

/** Whether a call that has begun may be run once more. */
export function mayRunAgain({ idempotent, effects }: Tool): boolean {
  return idempotent ?? effects === "read";
}
