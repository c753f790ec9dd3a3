import type { VariableView } from "@capstan/contract";
import { variablesTexts } from "../texts/variables.ts";

/** The label of each type of variable. */
export const variableTypes: { readonly [type in VariableView["type"]]: string } =
  variablesTexts.types;

/** Returns the reference to a variable for a call's argument. */
export function referenceTo(name: string): string {
  return `$VAR_REF{{${name}}}`;
}
