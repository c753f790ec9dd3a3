import type { VariableView } from "@capstan/contract";
import { client } from "../api/client.ts";

/** The number of characters per request. */
const pageLength = 500_000;

/** The maximum number of characters of a value that the page loads in full. */
export const wholeLimit = 5_000_000;

/** Reads a variable's whole text; returns `null` if it is longer than `wholeLimit`. */
export async function readWholeVariable(
  conversation: string,
  variable: Pick<VariableView, "name" | "length">,
): Promise<string | null> {
  if (variable.length > wholeLimit) return null;
  const parts: string[] = [];
  for (let start = 0; start < variable.length;) {
    const page = await client.variable(conversation, variable.name, {
      start,
      length: pageLength,
    });
    if (page.text === "") break;
    parts.push(page.text);
    start += page.text.length;
  }
  return parts.join("");
}
