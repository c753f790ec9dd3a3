/** The members that say something: on this wire null means "not given". */
export function withoutNulls<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const given = Object.entries(value).filter(
    ([, member]) => member !== null && member !== undefined,
  );
  return Object.fromEntries(given) as { [K in keyof T]?: NonNullable<T[K]> };
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
