import type { JsonValue } from "../base/json.ts";

/**
 * Returns a value as JSON, truncated to about `max` characters, without serializing more of it than
 * that.
 */
export function shortJson(value: unknown, max = 80): string {
  let text = "";
  write(value, 0);
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;

  function write(member: unknown, depth: number): void {
    if (text.length > max || depth > max) return;
    if (typeof member === "string")
      text += JSON.stringify(member.length > max ? member.slice(0, max + 1) : member);
    else if (typeof member !== "object" || member === null) text += String(member);
    else if (Array.isArray(member))
      writeMembers("[]", member, (item: unknown) => write(item, depth + 1));
    else {
      writeMembers("{}", Object.entries(member), ([key, item]: [string, unknown]) => {
        text += `${JSON.stringify(key.slice(0, max))}:`;
        write(item, depth + 1);
      });
    }
  }

  function writeMembers<T>(
    brackets: string,
    members: readonly T[],
    writeMember: (member: T) => void,
  ): void {
    text += brackets[0];
    for (const [index, member] of members.entries()) {
      if (text.length > max) return;
      if (index > 0) text += ",";
      writeMember(member);
    }
    text += brackets[1];
  }
}

const describedChars = 1_000;

/**
 * Returns a tool's progress or event as plain data: JSON is unchanged, and any other value (a
 * cycle, a BigInt) becomes a short text. A record must never fail because of a tool's value.
 */
export function plainData(value: unknown): JsonValue {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as JsonValue);
  } catch {
    return shortJson(value, describedChars);
  }
}

/** The approximate memory of an entry in addition to its text. */
const overhead = 64;

/** Returns the approximate memory of a plain value, in characters. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = overhead;
  for (const [key, member] of Object.entries(value)) size += key.length + sizeOf(member);
  return size;
}
