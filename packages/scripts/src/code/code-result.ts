import type { JsonValue } from "@capstan/core";

/** What code said, and the value of its last expression. */
export interface CodeResult {
  readonly output: string;
  /** Absent where it gave none. */
  readonly value?: JsonValue;
}

/** Its value after what it said. */
export function formatCodeResult({ output, value }: CodeResult): string {
  if (value === undefined) return output === "" ? "[It said nothing.]" : output;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return output === "" ? text : `${output.replace(/\n$/, "")}\n${text}`;
}
