import type { VariableView } from "@capstan/contract";
import { plural } from "../texts/count.ts";

/** The kinds of variables, in the words of the page. */
export const variableTypes: { readonly [type in VariableView["type"]]: string } = {
  ToolCallResult: "result",
  ToolCallArgs: "arguments",
  USER_ADD: "yours",
  LLMAdd: "the model's",
  MessageCache: "pasted",
  RULE: "rule",
};

/** @example usesOf(2) // "used 2 times" */
export function usesOf(count: number): string {
  return count === 0 ? "not used yet" : `used ${plural(count, "time")}`;
}

/** How a call's argument names a variable. */
export function referenceTo(name: string): string {
  return `$VAR_REF{{${name}}}`;
}
