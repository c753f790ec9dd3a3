/**
 * Returns the text with which the model called a custom tool: the argument `input`, or all of the
 * text if the model wrote no JSON object.
 */
export function customInput(argumentsText: string): string {
  try {
    const args: unknown = JSON.parse(argumentsText);
    if (typeof args === "object" && args !== null && "input" in args)
      return typeof args.input === "string" ? args.input : JSON.stringify(args.input);
  } catch {
    // The text is not JSON, so it is the input itself.
  }
  return argumentsText;
}
