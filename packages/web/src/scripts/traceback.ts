/** Where in a script an exception came from, or what it said before it crashed, if that is known. */
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
