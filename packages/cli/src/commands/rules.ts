import { ApiError, type Client } from "@capstan/client";
import type { OverrideChange, OverrideView } from "@capstan/contract";
import type { PolicyRule } from "@capstan/core";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { didYouMean } from "../arguments/parse-options.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Style, styleFor } from "../terminal/style.ts";
import { openConnection } from "./shared/open-connection.ts";

/** Lists, changes or removes the user's own rules. */
export async function manageRules(invocation: Invocation): Promise<number> {
  const { values } = invocation;
  const action = readRulesAction(invocation);
  if (action.type === "refused")
    throw new CommandFailure(`${action.message} \`capstan rules --help\` shows what there is.`, 2);
  const { client, close } = await openConnection(values);
  try {
    const style = styleFor(process.stdout);
    const asJson = values["json"] === true;
    process.stdout.write(await applyRulesAction(action, { client, style, asJson }));
    return 0;
  } finally {
    await close();
  }
}

/** A command on the user's own rules. */
export type RulesAction =
  | { readonly type: "list" }
  | { readonly type: "set"; readonly change: OverrideChange }
  /** By id, or by the tool if it has one rule. */
  | { readonly type: "remove"; readonly rule: string }
  | { readonly type: "refused"; readonly message: string };

const verbs = ["list", "set", "remove"];
/** The flags that say something of a call; `reset` takes one back. */
const words = ["execution", "result", "minutes", "reason"] as const;

/** Reads `list`, `set TOOL …` and `remove RULE`. The server checks the rule's contents. */
export function readRulesAction({ positionals, values }: Invocation): RulesAction {
  const [verb = "list", about, unwanted] = positionals;
  if (!verbs.includes(verb)) return refused(`There is no rules ${verb}.${didYouMean(verb, verbs)}`);
  const given = ["when", ...words].find((name) => values[name] !== undefined);
  if (verb !== "set" && given !== undefined)
    return refused(`--${given} is for \`capstan rules set TOOL\`.`);
  const extra = verb === "list" ? about : unwanted;
  if (extra !== undefined) return refused(`rules ${verb} takes no "${extra}".`);
  if (verb === "list") return { type: "list" };
  if (about === undefined)
    return refused(
      verb === "set"
        ? "rules set needs a tool such as files.ViewFile, a group such as files.*, or '*'."
        : "rules remove needs the id of a rule, or its tool.",
    );
  if (verb === "remove") return { type: "remove", rule: about };
  if (words.every((name) => values[name] === undefined))
    return refused(
      "rules set needs at least one of --execution, --result or --minutes; --reason is optional.",
    );
  return readChange(about, values);
}

function readChange(tool: string, values: Invocation["values"]): RulesAction {
  const whenText = textOption(values, "when");
  const when = whenText === undefined ? undefined : readWhen(whenText);
  if (when === "unreadable")
    return refused(
      `--when: expected NAME=PATTERN such as path=docs/**, or JSON such as '{"path":"docs/**"}', got ${whenText}.`,
    );
  const word = (name: (typeof words)[number]) => {
    const text = textOption(values, name);
    return text === "reset" ? null : text;
  };
  const [execution, result, reason, minutes] = [
    word("execution"),
    word("result"),
    word("reason"),
    word("minutes"),
  ];
  const approvalMs = typeof minutes === "string" ? Math.round(Number(minutes) * 60_000) : minutes;
  // JSON would have `null` for an infinite number, which means reset.
  if (typeof approvalMs === "number" && !(approvalMs >= 1 && Number.isFinite(approvalMs)))
    return refused(`--minutes: expected minutes such as 30, or reset, got ${minutes}.`);
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

/** Conditions as JSON, or one of them as `NAME=PATTERN`. */
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

/** Lists, changes or removes the user's own rules. @returns what to print */
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
      return `The rule for ${printableLine(action.change.tool)} says nothing any more, and is gone.\n`;
    }
    case "remove": {
      const rule = ruleOf(await client.rules(), action.rule);
      const removed = await client.removeRule(rule.id);
      return asJson ? json(removed) : `Removed: ${printableLine(rule.title)}.\n`;
    }
  }
}

function ruleOf(rules: readonly OverrideView[], said: string): OverrideView {
  const found = rules.filter(({ id, tool }) => id === said || tool === said);
  const [rule] = found;
  if (rule !== undefined && found.length === 1) return rule;
  const message =
    rule === undefined
      ? `You have no rule ${printableLine(said)}. \`capstan rules\` lists those there are.`
      : `${printableLine(said)} has ${found.length} rules. Name one by its id:\n${found.map(({ id, title }) => `  ${id}  ${printableLine(title)}`).join("\n")}`;
  throw new ApiError({ status: 404, code: "override_not_found", message });
}

/** A user's own rules as people read them: what each is about, what it says, and what of it has no effect. */
function renderRules(rules: readonly OverrideView[], style: Style): string {
  if (rules.length === 0)
    return "You have no rules of your own: tools and the administrator's rules decide.\n";
  return rules.map((rule) => renderRule(rule, style)).join("");
}

function renderRule(rule: OverrideView, style: Style): string {
  const { id, title, execution, result, approvalMs, reason, notes } = rule;
  const said = [
    ...(execution === undefined ? [] : [execution]),
    ...(result === undefined ? [] : [`result reviewed: ${result}`]),
    ...(approvalMs === undefined ? [] : [`answered within ${approvalMs / 60_000} min`]),
    ...(reason === undefined ? [] : [`because: ${printableLine(reason)}`]),
  ];
  return [
    `${style.bold(printableLine(title))}  ${said.join(", ")}`,
    ...notes.map((note) => `  ${style.yellow(printableLine(note))}`),
    `  ${style.dim(id)}`,
    "",
  ].join("\n");
}
