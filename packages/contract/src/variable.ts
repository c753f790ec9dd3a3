import type { VariableInfo } from "@capstan/core";

/** A variable of `GET /v1/conversations/{id}/variables`, without its value. */
export interface VariableView extends VariableInfo {
  readonly object: "variable";
}

/** `GET /v1/conversations/{id}/variables/{name}`; `start` and `length` choose a slice. */
export interface VariableValueView extends VariableView {
  readonly text: string;
  readonly start: number;
  readonly data?: unknown;
}

/**
 * `PUT /v1/conversations/{id}/variables/{name}`: creates a variable, or changes the given fields of
 * one.
 */
export interface VariableUpdate {
  readonly text?: string;
  readonly desc?: string;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}
