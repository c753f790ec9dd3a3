import type { VariableView } from "@capstan/server/contract";

/** The kinds of variables, in the words of the page. */
export const variableTypes: { readonly [type in VariableView["type"]]: string } = {
  ToolCallResult: "result",
  ToolCallArgs: "arguments",
  USER_ADD: "yours",
  LLMAdd: "the model's",
  MessageCache: "pasted",
  RULE: "rule",
};

/** How a call's argument names a variable. */
export function referenceTo(name: string): string {
  return `$VAR_REF{{${name}}}`;
}
