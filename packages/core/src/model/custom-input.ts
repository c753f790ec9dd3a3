/**
 * Returns the text with which the model called a custom tool: the argument `input`, as far as the
 * model wrote it, or all of the text if the model wrote no JSON object.
 */
export function customInput(argumentsText: string): string {
  try {
    const args: unknown = JSON.parse(argumentsText);
    if (typeof args === "object" && args !== null && "input" in args)
      return typeof args.input === "string" ? args.input : JSON.stringify(args.input);
  } catch {
    const begun = /^\s*\{\s*"input"\s*:\s*"((?:[^"\\]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)/.exec(
      argumentsText,
    );
    // Control characters are invalid in JSON, but they can only mean themselves.
    if (begun !== null) return unescaped(begun[1] ?? "");
    // The text is not JSON, so it is the input itself.
  }
  return argumentsText;
}

function unescaped(text: string): string {
  const valid = text.replaceAll(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
  return JSON.parse(`"${valid}"`) as string;
}

/** Returns the arguments of a call of a custom tool: an object with its text as `input`. */
export function customArguments(input: string): string {
  return JSON.stringify({ input });
}
