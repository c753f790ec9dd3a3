import type { Right } from "@capstan/contract";
import { agentName, localPrincipal } from "@capstan/server";
import { z } from "zod";
import type { ApiKey } from "./configuration.ts";

/*
 * Settings that are read only from the environment, because they are secret.
 */

interface ReadApiKeys {
  readonly apiKeys: readonly ApiKey[];
  readonly problems: readonly string[];
}

const rights = z
  .array(z.enum(["ask", "approve", "admin"]))
  .min(1)
  .transform((given): readonly Right[] => [...new Set(given)]);

const keyEntry = z.union([
  z.string(),
  z.strictObject({
    name: z.string(),
    key: z.string(),
    rights: rights.optional(),
    agent: z.string().regex(agentName).optional(),
  }),
]);

/**
 * Parses `name:key,name:key`, or the same as a JSON list, in which a key can have rights:
 * `["bot:KEY", {"name": "ann", "key": "KEY", "rights": ["ask", "approve"]}]`. A key without rights
 * has the right `ask`, and one with an `agent` uses it for requests without a model. Two keys with the same name belong to the same principal, so that a key can
 * be replaced without downtime. No message contains a key.
 */
export function readApiKeys(text = ""): ReadApiKeys {
  const apiKeys: ApiKey[] = [];
  const problems: string[] = [];
  const entries = text.trim().startsWith("[") ? readList(text) : text.split(",");
  if (entries === undefined)
    return {
      apiKeys,
      problems: [
        'CAPSTAN_API_KEYS: it begins with "[", so a JSON list was expected, such as ["bot:KEY", {"name": "ann", "key": "KEY", "rights": ["ask", "approve"]}]',
      ],
    };
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === "string" && entry.trim() === "") continue;
    const where = `CAPSTAN_API_KEYS: entry ${index + 1}`;
    const read = keyEntry.safeParse(entry);
    if (!read.success) {
      problems.push(
        `${where}: expected "name:key", or an object with name, key, rights (a list of ask, approve and admin) and agent (the name of an agent)`,
      );
      continue;
    }
    const {
      name,
      key,
      rights: held = ["ask"] as const,
      agent,
    } = typeof read.data === "string" ? namedKey(read.data) : read.data;
    if (!/^[a-zA-Z0-9_.@-]{1,64}$/.test(name)) {
      problems.push(`${where}: expected name:key with a name of letters, digits, . _ @ or -`);
    } else if (name === localPrincipal) {
      problems.push(
        `${where} (${name}): this name is reserved for the user who runs the server, whose data the key could read. Choose another name; "capstan connect" connects a program whose approval requests this user gets`,
      );
    } else if (!/^[\u0021-\u007E]+$/.test(key)) {
      problems.push(`${where} (${name}): expected a key of printable ASCII without spaces`);
    } else if (apiKeys.some((other) => other.key === key && other.name !== name)) {
      problems.push(`${where} (${name}): the same key is given to another name`);
    } else {
      apiKeys.push({ name, key, rights: held, ...(agent !== undefined && { agent }) });
    }
  }
  return { apiKeys, problems };
}

function namedKey(entry: string): {
  name: string;
  key: string;
  rights?: undefined;
  agent?: undefined;
} {
  const colon = entry.indexOf(":");
  return { name: entry.slice(0, Math.max(colon, 0)).trim(), key: entry.slice(colon + 1).trim() };
}

function readList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    // The parser's message may contain a key.
    return undefined;
  }
}

export type ReadUrl =
  | { readonly status: "none" }
  | { readonly status: "given"; readonly url: string }
  | { readonly status: "invalid"; readonly problem: string };

/**
 * Parses the address of a PostgreSQL database. No message contains it, because it can contain a
 * password.
 */
export function readDatabaseUrl(text: string | undefined): ReadUrl {
  return readUrl(
    text,
    /^postgres(ql)?:$/,
    "CAPSTAN_DATABASE_URL: expected postgres://user:password@host:5432/database, " +
      "with special characters of the password escaped (`@` is %40)",
  );
}

/**
 * Parses the address of a Redis in the same way.
 *
 * @param hasDatabase whether there is a PostgreSQL database, without which a queue has no use
 */
export function readRedisUrl(text: string | undefined, hasDatabase: boolean): ReadUrl {
  const read = readUrl(
    text,
    /^rediss?:$/,
    "CAPSTAN_REDIS_URL: expected redis://user:password@host:6379/0, or rediss:// with TLS, " +
      "with special characters of the password escaped (`@` is %40)",
  );
  if (read.status !== "given" || hasDatabase) return read;
  return {
    status: "invalid",
    problem:
      "CAPSTAN_REDIS_URL: Redis distributes runs to servers that share a database. " +
      "Set CAPSTAN_DATABASE_URL, too, or leave both out for one server.",
  };
}

/** The fewest characters of `CAPSTAN_SECRET_KEY`. */
const minSecret = 32;

/** Parses the secret from which servers that share a database derive their keys. */
export function readSecretKey(
  text: string | undefined,
  name = "CAPSTAN_SECRET_KEY",
):
  | { readonly status: "none" }
  | { readonly status: "given"; readonly secret: string }
  | { readonly status: "invalid"; readonly problem: string } {
  const secret = text?.trim() ?? "";
  if (secret === "") return { status: "none" };
  if (secret.length >= minSecret) return { status: "given", secret };
  return {
    status: "invalid",
    problem: `${name}: expected at least ${minSecret} random characters, such as the output of: openssl rand -base64 32`,
  };
}

function readUrl(text: string | undefined, protocol: RegExp, problem: string): ReadUrl {
  const url = text?.trim() ?? "";
  if (url === "") return { status: "none" };
  if (URL.canParse(url) && protocol.test(new URL(url).protocol)) return { status: "given", url };
  return { status: "invalid", problem };
}
