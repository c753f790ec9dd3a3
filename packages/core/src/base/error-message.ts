/** Errors of one `AggregateError` that are told. */
const several = 3;

/**
 * The message of anything that was thrown. Never throws, and is never empty. What caused an error
 * is not told: whoever wrapped it may have meant to hide it.
 */
export function errorMessage(thrown: unknown): string {
  try {
    return messageOf(thrown) || "an error without words";
  } catch {
    return "an error that cannot be shown";
  }
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return textOf(thrown);
  const message: unknown = thrown.message;
  if (message !== "") return textOf(message);
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return thrown.errors.slice(0, several).map(errorMessage).join("; ");
  return thrown.name;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
