/** Returns the violations of a vendor's rules in a request's body, one line each. */
export type VendorRules = (body: Fields) => readonly string[];

export type Fields = { readonly [key: string]: unknown };

export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

export function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a text is a JSON object. */
export function isObjectText(value: unknown): boolean {
  try {
    return typeof value === "string" && isObject(JSON.parse(value));
  } catch {
    return false;
  }
}

export function isImageAddress(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$)/.test(value)
  );
}

/** Whether two lists have the same members in any order. */
export function sameMembers(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && new Set(left).isSubsetOf(new Set(right));
}

export function hasTwice(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}

/** Returns the violations of tool definitions: illegal or repeated names. */
export function toolNameProblems(names: readonly unknown[], legal: RegExp): readonly string[] {
  const illegal = names.filter((name) => !legal.test(String(name)));
  return [
    ...illegal.map((name) => `a tool with the name ${String(name)}`),
    ...(hasTwice(names) ? ["a tool twice"] : []),
  ];
}
