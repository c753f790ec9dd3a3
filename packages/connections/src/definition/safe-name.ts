import { digest } from "@capstan/core/host";

/**
 * The maximum length of a tool name. With the prefixes of hosts, names have up to 64 characters.
 */
const longest = 48;

/**
 * Returns the name that replaces a server's tool name and that every provider accepts. It depends
 * only on the server's name, not on other tools. A changed name ends with a part of the original
 * name's hash, so that two names never become equal.
 *
 * @example safeName("search") // "search"
 * @example safeName("files.read/all") // "files_read_all_1f9c2e4b"
 */
export function safeName(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
  if (plain === name && name.length > 0 && name.length <= longest) return name;
  return `${plain.slice(0, longest - 9)}_${digest(name).slice(0, 8)}`;
}
