/** The maximum number of results that are shared while a caller uses them. */
const maxShared = 100;

/**
 * Lets callers share a long value: all callers that request it during the read, and later callers
 * while another caller still uses it. The values must be immutable.
 *
 * @example
 * const share = shareReads<{ readonly seq: number }[]>();
 * const events = await share(runId, () => readCompact(runId));
 */
export function shareReads<T extends object>(): (
  key: string,
  read: () => Promise<T | undefined>,
) => Promise<T | undefined> {
  const reading = new Map<string, Promise<T | undefined>>();
  const known = new Map<string, WeakRef<T>>();
  return (key, read) => {
    const found = known.get(key)?.deref();
    if (found !== undefined) return Promise.resolve(found);
    const underWay = reading.get(key);
    if (underWay !== undefined) return underWay;
    const result = read()
      .then((value) => {
        known.delete(key);
        if (value !== undefined) known.set(key, new WeakRef(value));
        const [oldest] = known.keys();
        if (known.size > maxShared && oldest !== undefined) known.delete(oldest);
        return value;
      })
      .finally(() => reading.delete(key));
    reading.set(key, result);
    return result;
  };
}
