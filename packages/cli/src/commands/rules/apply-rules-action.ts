import type { OverrideView } from "@capstan/contract";
import { ApiError, type Client } from "@capstan/client";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import type { RulesAction } from "./read-rules-action.ts";
import { renderRules } from "./render-rules.ts";

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
