/** What only the system may write: a log block, and the frames that hold logs. */
const forms = /\[(Tool Execution Log)\]|<(\/?)(SYSTEM-CONTEXT|turn-log)\b/gi;

/**
 * Takes the force out of text that looks like the system's own log, so that what a tool fetched
 * or a model wrote cannot pass for a record of what happened. Everything else stays as it is.
 *
 * @example neutralise("[Tool Execution Log]") // "(Tool Execution Log)"
 */
export function neutralise(text: string): string {
  // Most texts have neither, and this is asked for every one.
  if (!text.includes("[") && !text.includes("<")) return text;
  return text.replace(forms, (_match, log?: string, slash?: string, frame?: string) =>
    log === undefined ? `‹${slash ?? ""}${frame ?? ""}` : `(${log})`,
  );
}
