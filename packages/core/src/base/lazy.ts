/** Works something out when it is first asked for, and once. */
export function lazy<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: work() }).value;
}
