import { createHash } from "node:crypto";

/** Base64 of fewer characters than this stays in its request. */
const minLength = 32_768;

/** Characters of an image in a request. A longer one stays, to be rejected. */
export const maxImage = 20_971_520;

/** Members of a content part that carry Base64 or a `data:` URL. */
const carriers = ["image_url", "file_data", "file_url", "video_url"] as const;

/** Base64 that was taken out of a request, and where it was. */
export interface TakenData {
  readonly at: readonly (string | number)[];
  /** What stands before the Base64: `data:image/png;base64,`, or nothing. */
  readonly prefix: string;
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Takes images and files out of the input of a parsed request, and decodes them. `null` is left in
 * their places. What is not exactly the Base64 of its bytes stays, so that nothing is lost.
 */
export function takeData(body: unknown): readonly TakenData[] {
  const taken: TakenData[] = [];
  const input = memberOf(body, "input");
  if (!Array.isArray(input)) return taken;
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    const list = partsOf(item);
    const parts = list === undefined ? undefined : memberOf(item, list);
    if (list === undefined || !Array.isArray(parts)) continue;
    for (const [n, part] of (parts as readonly unknown[]).entries()) {
      if (!/^input_(image|file|video)$/.test(String(memberOf(part, "type")))) continue;
      for (const name of carriers) {
        const text = memberOf(part, name);
        if (typeof text !== "string" || (name === "image_url" && text.length > maxImage)) continue;
        const found = decode(text);
        if (found === undefined) continue;
        taken.push({ at: ["input", index, list, n, name], ...found });
        (part as { [name: string]: unknown })[name] = null;
      }
    }
  }
  return taken;
}

/** Returns the member of an item that has its parts. Items of other types are stored as they came. */
function partsOf(item: unknown): "content" | "output" | undefined {
  const type = memberOf(item, "type") ?? (memberOf(item, "role") === undefined ? "" : "message");
  if (type === "message") return "content";
  return type === "function_call_output" || type === "custom_tool_call_output"
    ? "output"
    : undefined;
}

function decode(text: string): Omit<TakenData, "at"> | undefined {
  if (text.length < minLength) return undefined;
  const start = /^data:[^,]{0,200};base64,/.exec(text.slice(0, 300));
  if (start === null && text.startsWith("data:")) return undefined;
  const prefix = start?.[0] ?? "";
  const base64 = text.slice(prefix.length);
  if (base64.length % 4 !== 0 || !/^[\w+/]+={0,2}$/.test(base64.slice(-1_000))) return undefined;
  const decoded = Buffer.from(base64, "base64");
  if (decoded.toString("base64") !== base64) return undefined;
  // Not of Buffer's pool: it can be handed to another thread.
  const bytes = new Uint8Array(decoded);
  return { prefix, bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
