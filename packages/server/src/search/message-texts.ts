import type { JsonObject, JsonValue } from "@capstan/core";
import type { Store } from "@capstan/store";

/** The texts of a run, by their author. */
export interface MessageTexts {
  readonly user: string;
  readonly assistant: string;
}

/** The maximum UTF-16 code units that are searched of each author's texts in a run. */
const maxLength = 50_000;

/**
 * Returns the texts of the user and the model in a run, without calls and their results. The input
 * can contain earlier answers.
 */
export async function messageTexts(
  store: Pick<Store, "readInput" | "readEventsCompact">,
  run: { readonly owner: string; readonly runId: string },
): Promise<MessageTexts> {
  const input = (await store.readInput(run)) ?? [];
  const compact = await store.readEventsCompact(run);
  const kinds = new Map<string, string>();
  const answer: string[] = [];
  for (const event of compact?.events ?? []) {
    if (event.type === "item.start") kinds.set(event.itemId, event.kind);
    if (event.type === "item.end" && kinds.get(event.itemId) === "text") answer.push(event.text);
  }
  const ofRole = (role: string) => input.flatMap((item) => textsOf(item, role));
  return { user: joined(ofRole("user")), assistant: joined([...ofRole("assistant"), ...answer]) };
}

function joined(texts: readonly string[]): string {
  return texts
    .filter((text) => text.trim() !== "")
    .join("\n\n")
    .slice(0, maxLength);
}

/** Returns the texts of a message of one author, which is a Responses item. */
function textsOf(item: JsonValue, role: string): readonly string[] {
  if (!isObject(item) || item["role"] !== role) return [];
  const { content } = item;
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return (content as readonly JsonValue[]).flatMap((part) =>
    isObject(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
