/** A copy without one key. */
export function omit<Value>(
  record: { readonly [key: string]: Value },
  key: string,
): { [key: string]: Value } {
  const { [key]: _gone, ...rest } = record;
  return rest;
}
