import type { OverrideView } from "@capstan/contract";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";

/** A user's own rules as people read them: what each is about, what it says, and what of it has no effect. */
export function renderRules(rules: readonly OverrideView[], style: Style): string {
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
