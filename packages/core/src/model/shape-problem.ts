import { shortJson } from "../json/short-json.ts";

/** What in data from outside is not as it should be. */
export interface ShapeProblem {
  readonly path: string;
  readonly value: unknown;
  readonly expected: string;
}

/** @example problemText({ path: "state.round", value: "3", expected: "a number" }) // state.round is "3", and should be a number */
export function problemText({ path, value, expected }: ShapeProblem): string {
  return `${path} is ${shortJson(value)}, and should be ${expected}`;
}

export type Members = { readonly [key: string]: unknown };

export function textProblem(of: Members, key: string, path: string): ShapeProblem | undefined {
  const value = of[key];
  if (typeof value === "string") return undefined;
  return { path: `${path}.${key}`, value, expected: "a text" };
}

export function countProblem(of: Members, key: string, path: string): ShapeProblem | undefined {
  const value = of[key];
  if (Number.isSafeInteger(value) && (value as number) >= 0) return undefined;
  return { path: `${path}.${key}`, value, expected: "a whole number from 0 on" };
}

export function numberProblem(of: Members, key: string, path: string): ShapeProblem | undefined {
  const value = of[key];
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  return { path: `${path}.${key}`, value, expected: "a number" };
}

export function listProblem(
  value: unknown,
  path: string,
  check: (member: unknown, path: string) => ShapeProblem | undefined,
): ShapeProblem | undefined {
  if (!Array.isArray(value)) return { path, value, expected: "a list" };
  for (const [n, member] of value.entries()) {
    // Mostly all is well: then no place need be named.
    if (check(member, path) !== undefined) return check(member, `${path}[${n}]`);
  }
  return undefined;
}
