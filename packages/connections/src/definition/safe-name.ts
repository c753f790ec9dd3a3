import { digest } from "@capstan/core/host";

/** The longest name of a tool. Hosts put their own prefix before it, up to 64 characters. */
const longest = 48;

/**
 * Returns a name that every provider accepts for a name that a server chose. It depends only on
 * that name, so it stays the same whatever other tools there are. A name that must be changed gets
 * a part of its hash, so that two names never become equal.
 *
 * @example safeName("search") // "search"
 * @example safeName("files.read/all") // "files_read_all_1f9c2e4b"
 */
export function safeName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
  if (plain === name && name.length > 0 && name.length <= longest) return name;
  return `${plain.slice(0, longest - 9)}_${digest(name).slice(0, 8)}`;
}
