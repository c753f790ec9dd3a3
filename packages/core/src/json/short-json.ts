import type { JsonValue } from "../base/json.ts";

/** A value as JSON, cut to about `max` characters, without writing out more of it than that. */
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
 * What a tool says beside its result, as what can be written down: JSON as it is, and anything
 * else (a cycle, a BigInt) as a short text of it. A record must never fail for what a tool put in.
 */
export function plainData(value: unknown): JsonValue {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? null : (JSON.parse(text) as JsonValue);
  } catch {
    return shortJson(value, describedChars);
  }
}

/** What an entry costs beside its text, about. */
const overhead = 64;

/** Roughly the characters that a plain value takes in memory. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = overhead;
  for (const [key, member] of Object.entries(value)) size += key.length + sizeOf(member);
  return size;
}
