import type { ApiKey } from "./configuration.ts";

export interface ReadApiKeys {
  readonly apiKeys: readonly ApiKey[];
  readonly problems: readonly string[];
}

/**
 * Reads `name:key,name:key`. Two keys of one name are the same principal, so that keys can be
 * changed one after the other. No message contains a key.
 */
export function readApiKeys(text: string | undefined): ReadApiKeys {
  const apiKeys: ApiKey[] = [];
  const problems: string[] = [];
  const entries = (text ?? "").split(",").map((entry) => entry.trim());
  for (const [index, entry] of entries.entries()) {
    if (entry === "") continue;
    const where = `CAPSTAN_API_KEYS: entry ${index + 1}`;
    const colon = entry.indexOf(":");
    const name = entry.slice(0, Math.max(colon, 0)).trim();
    const key = entry.slice(colon + 1).trim();
    if (!/^[a-zA-Z0-9_.@-]{1,64}$/.test(name)) {
      problems.push(`${where}: expected name:key, where the name is letters, digits, . _ @ or -`);
    } else if (!/^[\u0021-\u007E]+$/.test(key)) {
      problems.push(`${where} (${name}): expected a key of printable ASCII without spaces`);
    } else if (apiKeys.some((other) => other.key === key && other.name !== name)) {
      problems.push(`${where} (${name}): the same key is given to another name`);
    } else {
      apiKeys.push({ name, key });
    }
  }
  return { apiKeys, problems };
}
