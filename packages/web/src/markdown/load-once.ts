/**
 * Returns a function that loads a library at its first call. That function returns `undefined` if
 * the server cannot be reached, and tries again at the next call.
 */
export function loadOnce<Library>(
  load: () => Promise<Library>,
): () => Promise<Library | undefined> {
  let loading: Promise<Library> | undefined;
  return async () => {
    try {
      return await (loading ??= load());
    } catch {
      loading = undefined;
      return undefined;
    }
  };
}
