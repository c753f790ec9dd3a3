/**
 * Returns a function that loads a library at its first call. Returns undefined if the server cannot
 * be reached; the next call then tries again.
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
