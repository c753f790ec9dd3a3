import type { Variable, VariableChange, VariableInfo, VariableType, VariableValue } from "./variable.ts";

/** Placeholder of the signature; see the class that replaces it. */
export interface VariableSystemContract {
  addVariable(name: string, value: VariableValue | string, type: VariableType, desc?: string, tags?: readonly string[]): void;
  updateVariable(name: string, patch: { value?: VariableValue | string; type?: VariableType; desc?: string; tags?: readonly string[]; keep?: boolean }): void;
  getVariable(name: string): Variable | undefined;
  listVariables(filter?: { type?: VariableType; tag?: string; search?: string }): readonly VariableInfo[];
  removeVariables(names: readonly string[]): { removed: readonly string[]; failed: readonly string[] };
  subscribe(listener: (change: VariableChange) => void): () => void;
}
export class VariableSystem {}
