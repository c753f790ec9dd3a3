/** What a person typed, out of a run's input: text, or the messages of the Responses API. */
export function inputText(input: readonly unknown[]): string {
  return input
    .map(itemText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function itemText(item: unknown): string {
  if (typeof item === "string") return item;
  if (typeof item !== "object" || item === null) return "";
  const { role, content, text } = item as { role?: unknown; content?: unknown; text?: unknown };
  if (typeof text === "string") return text;
  if (role !== undefined && role !== "user") return "";
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(itemText).filter(Boolean).join("\n") : "";
}
