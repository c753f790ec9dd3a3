/** A message of another program's export. */
export interface ImportedMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A chat of another program's export: the branch that was shown last. */
export interface ImportedChat {
  readonly title: string;
  /** In ms since the epoch, or null if the export does not have it. */
  readonly createdAt: number | null;
  /** Oldest first, without empty ones. */
  readonly messages: readonly ImportedMessage[];
}

/** The programs whose exports can be imported. */
export type ImportSource = "ChatGPT" | "LibreChat" | "Open WebUI";

/** An export is untrusted: its objects are read through this type. */
export type Untrusted = { readonly [key: string]: unknown };

/** Returns a value if it is an object, and `undefined` otherwise. */
export function objectOf(value: unknown): Untrusted | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Untrusted)
    : undefined;
}

/** Returns the objects of a list. Omits other entries. */
export function objectsIn(list: readonly unknown[]): readonly Untrusted[] {
  return list.flatMap((each): readonly Untrusted[] => {
    const object = objectOf(each);
    return object === undefined ? [] : [object];
  });
}

/** Returns the own member of a map by its id. */
export function memberOf(map: Untrusted | undefined, id: unknown): Untrusted | undefined {
  if (map === undefined || typeof id !== "string" || !Object.hasOwn(map, id)) return undefined;
  return objectOf(map[id]);
}

/** Returns the title of a chat: at most 200 characters. */
export function titleOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, 200) : "";
}

/** Returns a time in ms since the epoch. Exports have seconds, milliseconds or a date. */
export function timeOf(value: unknown): number | null {
  if (typeof value === "string") {
    const time = Date.parse(value);
    return Number.isNaN(time) ? null : time;
  }
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return null;
  return value < 1e11 ? Math.round(value * 1_000) : Math.round(value);
}

/** Returns the text of a content, which is a text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const text = objectOf(part)?.["text"];
      const inner = objectOf(text)?.["value"] ?? text;
      return typeof inner === "string" ? inner : "";
    })
    .filter((text) => text.trim() !== "")
    .join("\n\n")
    .trim();
}

/** Returns the nodes from the root of a tree to a leaf. Stops if the parents form a cycle. */
export function branchTo(
  leaf: unknown,
  nodes: Untrusted | undefined,
  parentOf: (node: Untrusted) => unknown,
): readonly Untrusted[] {
  const branch: Untrusted[] = [];
  const seen = new Set<unknown>();
  for (let id = leaf; !seen.has(id);) {
    seen.add(id);
    const node = memberOf(nodes, id);
    if (node === undefined) break;
    branch.push(node);
    id = parentOf(node);
  }
  return branch.toReversed();
}
