import { copyJson } from "./copy-json.ts";

/** A copy of JSON that nobody can change: what a person was asked about stays that. */
export function frozenJson<T>(value: T): T {
  return freeze(copyJson(value));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
