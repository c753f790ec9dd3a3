import { ApiError, type Client, createClient } from "@capstan/client";
import type { OverrideChange, OverrideView } from "@capstan/contract";
import type { PolicyRule } from "@capstan/core";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { didYouMean } from "../arguments/parse-options.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Style, styleFor } from "../terminal/style.ts";
import { openConnection } from "./shared/open-connection.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.rules;

/** Lists, changes or removes the user's own rules. */
export async function manageRules(invocation: Invocation): Promise<number> {
  const { values } = invocation;
  const action = readRulesAction(invocation);
  if (action.type === "refused") throw new CommandFailure(texts.seeHelp(action.message), 2);
  const { url, key, close } = await openConnection(values);
  const client = createClient({ url, key, program: textOption(values, "program") });
  try {
    const style = styleFor(process.stdout);
    const asJson = values["json"] === true;
    process.stdout.write(await applyRulesAction(action, { client, style, asJson }));
    return 0;
  } finally {
    await close();
  }
}

/** A parsed command for the user's own rules. */
export type RulesAction =
  | { readonly type: "list" }
  | { readonly type: "set"; readonly change: OverrideChange }
  /** `rule`: the id of a rule, or its tool if the tool has only one rule. */
  | { readonly type: "remove"; readonly rule: string }
  | { readonly type: "refused"; readonly message: string };

const verbs = ["list", "set", "remove"];
/** The flags for the fields of a rule; the value `reset` removes a field. */
const fields = ["execution", "result", "minutes", "reason"] as const;

/** Parses `list`, `set TOOL …` and `remove RULE`. The server validates the rule's contents. */
export function readRulesAction({ positionals, values }: Invocation): RulesAction {
  const [verb = "list", about, unwanted] = positionals;
  if (!verbs.includes(verb)) return refused(texts.unknownAction(verb, didYouMean(verb, verbs)));
  const given = ["when", ...fields].find((name) => values[name] !== undefined);
  if (verb !== "set" && given !== undefined) return refused(texts.onlyForSet(given));
  const extra = verb === "list" ? about : unwanted;
  if (extra !== undefined) return refused(texts.unexpected(verb, extra));
  if (verb === "list") return { type: "list" };
  if (about === undefined) return refused(verb === "set" ? texts.noTool : texts.noRule);
  if (verb === "remove") return { type: "remove", rule: about };
  if (fields.every((name) => values[name] === undefined)) return refused(texts.noField);
  return readChange(about, values);
}

function readChange(tool: string, values: Invocation["values"]): RulesAction {
  const whenText = textOption(values, "when");
  const when = whenText === undefined ? undefined : readWhen(whenText);
  if (when === "unreadable") return refused(texts.invalidWhen(whenText));
  const value = (name: (typeof fields)[number]) => {
    const text = textOption(values, name);
    return text === "reset" ? null : text;
  };
  const [execution, result, reason, minutes] = [
    value("execution"),
    value("result"),
    value("reason"),
    value("minutes"),
  ];
  const approvalMs = typeof minutes === "string" ? Math.round(Number(minutes) * 60_000) : minutes;
  // JSON would write an infinite number as `null`, which means reset.
  if (typeof approvalMs === "number" && !(approvalMs >= 1 && Number.isFinite(approvalMs)))
    return refused(texts.invalidMinutes(minutes));
  const change = {
    tool,
    ...(when !== undefined && { when }),
    ...(execution !== undefined && { execution }),
    ...(result !== undefined && { result }),
    ...(approvalMs !== undefined && { approvalMs }),
    ...(reason !== undefined && { reason }),
  };
  return { type: "set", change: change as OverrideChange };
}

/** Parses conditions: JSON, or one condition as `NAME=PATTERN`. */
function readWhen(text: string): NonNullable<PolicyRule["when"]> | "unreadable" {
  if (!text.trimStart().startsWith("{")) {
    const [, name, pattern] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    return name === undefined || pattern === undefined ? "unreadable" : { [name]: pattern };
  }
  try {
    return JSON.parse(text) as NonNullable<PolicyRule["when"]>;
  } catch {
    return "unreadable";
  }
}

function refused(message: string): RulesAction {
  return { type: "refused", message };
}

export interface ApplyRulesOptions {
  readonly client: Pick<Client, "rules" | "setRule" | "removeRule">;
  readonly style: Style;
  readonly asJson: boolean;
}

/** Lists, changes or removes the user's own rules. @returns the text to print */
export async function applyRulesAction(
  action: Exclude<RulesAction, { readonly type: "refused" }>,
  { client, style, asJson }: ApplyRulesOptions,
): Promise<string> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  switch (action.type) {
    case "list": {
      const rules = await client.rules();
      return asJson ? json(rules) : renderRules(rules, style);
    }
    case "set": {
      const rule = await client.setRule(action.change);
      if (asJson) return json(rule);
      if (rule.object === "override") return renderRules([rule], style);
      return `${texts.emptied(printableLine(action.change.tool))}\n`;
    }
    case "remove": {
      const rule = ruleOf(await client.rules(), action.rule);
      const removed = await client.removeRule(rule.id);
      return asJson ? json(removed) : `${texts.removed(printableLine(rule.title))}\n`;
    }
  }
}

function ruleOf(rules: readonly OverrideView[], name: string): OverrideView {
  const found = rules.filter(({ id, tool }) => id === name || tool === name);
  const [rule] = found;
  if (rule !== undefined && found.length === 1) return rule;
  const message =
    rule === undefined
      ? texts.unknownRule(printableLine(name))
      : `${texts.ambiguous(printableLine(name), found.length)}\n${found.map(({ id, title }) => `  ${id}  ${printableLine(title)}`).join("\n")}`;
  throw new ApiError({ status: 404, code: "override_not_found", message });
}

/** Formats a user's own rules as text: their calls, their fields, and the fields without effect. */
function renderRules(rules: readonly OverrideView[], style: Style): string {
  if (rules.length === 0) return `${texts.noRules}\n`;
  return rules.map((rule) => renderRule(rule, style)).join("");
}

function renderRule(rule: OverrideView, style: Style): string {
  const { id, title, execution, result, approvalMs, reason, notes } = rule;
  const settings = [
    ...(execution === undefined ? [] : [execution]),
    ...(result === undefined ? [] : [texts.result(result)]),
    ...(approvalMs === undefined ? [] : [texts.minutes(approvalMs / 60_000)]),
    ...(reason === undefined ? [] : [texts.reason(printableLine(reason))]),
  ];
  return [
    `${style.bold(printableLine(title))}  ${settings.join(", ")}`,
    ...notes.map((note) => `  ${style.yellow(printableLine(note))}`),
    `  ${style.dim(id)}`,
    "",
  ].join("\n");
}
