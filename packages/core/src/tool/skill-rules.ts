import { variableInputProblem } from "../variables/variable-input.ts";
import type { VariableSystem } from "../variables/variable-system.ts";
import { agentRules } from "./agent-rules.ts";
import type { SkillRule, ToolGroup } from "./tool.ts";

/** Where the rules stand that no group declares. */
const agentScope = "Agent";

type SkillRules = NonNullable<ToolGroup["declareSkillRules"]>;

/** What is wrong with the rules that a group declares; undefined where nothing is. */
export function skillRuleProblem({ name, declareSkillRules }: ToolGroup): string | undefined {
  if (declareSkillRules === undefined) return undefined;
  if (name === agentScope)
    return `The group name "${agentScope}" stands for the rules that every session has, so a group of that name declares none. Choose another name.`;
  for (const [rule, said] of Object.entries<Partial<SkillRule>>(declareSkillRules)) {
    if (!isWords(said?.desc) || !isWords(said.prompt))
      return `The skill rule "${rule}" of "${name}" lacks desc or prompt; both are text.`;
    const refused = variableInputProblem(ruleName(name, rule), said.desc, undefined);
    if (refused !== undefined)
      return `The skill rule "${rule}" of "${name}" cannot be kept: ${refused.message}`;
  }
  return undefined;
}

function isWords(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** Keeps a group's skill rules (without one: the agent's) as variables that are never evicted. */
export function registerSkillRules(variables: VariableSystem, group?: ToolGroup): void {
  const scope = group?.name ?? agentScope;
  for (const [rule, { desc, prompt }] of Object.entries(rulesOf(group)))
    variables.setRule(ruleName(scope, rule), prompt, `Skill rule for ${scope}: ${desc}`);
}

/** A group's rules go with it. */
export function dropSkillRules(variables: VariableSystem, group: ToolGroup): void {
  for (const rule of Object.keys(rulesOf(group))) variables.dropRule(ruleName(group.name, rule));
}

/**
 * What a prompt has of the rules: those that are always loaded, whole, and an index of the
 * others with when to read them.
 *
 * @param group whose rules; without one the agent's
 */
export function skillRulesPrompt(
  group: ToolGroup | undefined,
  isUsable: (rule: SkillRule) => boolean = () => true,
): string {
  const scope = group?.name ?? agentScope;
  const loaded: string[] = [];
  const rows: string[] = [];
  for (const [name, rule] of Object.entries(rulesOf(group))) {
    if (!isUsable(rule)) continue;
    const { desc, prompt, when = "As needed", alwaysLoad } = rule;
    if (alwaysLoad === true) loaded.push(`## ${cell(desc)}\n${prompt}`);
    else rows.push(`| \`${cell(ruleName(scope, name))}\` | ${cell(desc)} | ${cell(when)} |`);
  }
  const table =
    rows.length === 0
      ? ""
      : `Read with ReadVar when needed:\n| variable | what | when |\n|-|-|-|\n${rows.join("\n")}\n`;
  return [...loaded, table].filter((part) => part !== "").join("\n\n");
}

function rulesOf(group: ToolGroup | undefined): SkillRules {
  return group === undefined ? agentRules : (group.declareSkillRules ?? {});
}

function ruleName(scope: string, rule: string): string {
  return `Rule/${scope}/${rule}`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();
}
