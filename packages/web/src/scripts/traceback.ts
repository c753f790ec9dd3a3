/**
 * The origin of an exception in a script, or the script's last output before it crashed, if known.
 */
export function tracebackOf(error: { readonly details?: unknown } | undefined): string | undefined {
  const { details } = error ?? {};
  if (typeof details !== "object" || details === null) return undefined;
  const { traceback, output } = details as {
    readonly traceback?: unknown;
    readonly output?: unknown;
  };
  const text = typeof traceback === "string" ? traceback : output;
  return typeof text === "string" && text !== "" ? text : undefined;
}
