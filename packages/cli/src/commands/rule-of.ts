import type { PolicyRule } from "@capstan/core";

/** The most specific rule that covers a tool and says the thing asked for. */
export function ruleOf(
  rules: readonly PolicyRule[],
  toolId: string,
  says: "execution" | "result",
): PolicyRule | undefined {
  const [group] = toolId.split(".", 1);
  for (const pattern of [toolId, `${group}.*`, "*"]) {
    const rule = rules.find((one) => one.tool === pattern && one[says] !== undefined);
    if (rule) return rule;
  }
  return undefined;
}
