import { errorMessage } from "@capstan/core/host";
import { describeDatabase, type Fault, type Inspection, inspectionOf } from "@capstan/store";

/** What the queue's scripts need. */
const oldest = "6.2";

/**
 * Looks whether nodes could hand runs out through this Redis, and changes nothing of it.
 *
 * @param url `redis://user:password@host:6379/0`, or `rediss://`; no word of the password is in the answer
 * @param timeoutMs how long it may take to connect, and to answer
 * @returns also where it cannot be reached
 * @example
 * await inspectRedis("redis://queue:6379/0"); // { status: "ok", detail: "Redis 7.2.4 at queue:6379/0, maxmemory-policy noeviction" }
 */
export async function inspectRedis(url: string, timeoutMs = 5_000): Promise<Inspection> {
  const where = describeDatabase(url);
  // A server without Redis never loads its client.
  const { Redis } = await import("ioredis");
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let cause: Error | undefined;
  // What ends a connection is said here; what was waiting for it only hears that it is closed.
  client.on("error", (error: Error) => (cause ??= error));
  try {
    await client.connect();
    return judge(where, await client.info());
  } catch (error) {
    return unusable(where, cause ?? error);
  } finally {
    client.disconnect();
  }
}

function judge(where: string, info: string): Inspection {
  const version = fieldOf(info, "redis_version") ?? "of an unknown version";
  const policy = fieldOf(info, "maxmemory_policy") ?? "unknown";
  const faults: Fault[] = [];
  if (isOlder(version))
    faults.push({ problem: `The queue needs Redis ${oldest} or later.`, fix: "Update Redis." });
  if (policy !== "noeviction")
    faults.push({
      problem: "When its memory is full, it throws jobs away.",
      fix: "redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf",
    });
  return inspectionOf(`Redis ${version} at ${where}, maxmemory-policy ${policy}`, faults);
}

function unusable(where: string, error: unknown): Inspection {
  const reason = errorMessage(error);
  return {
    status: "wrong",
    detail: `Redis at ${where} cannot be used: ${reason}`,
    fix: /\b(WRONGPASS|NOAUTH|NOPERM|AUTH)\b/.test(reason)
      ? "See that the user and the password of CAPSTAN_REDIS_URL are right, and may use this Redis."
      : "See that Redis runs and listens there, and that the address has rediss:// only where it speaks TLS.",
  };
}

function fieldOf(info: string, name: string): string | undefined {
  return info.match(new RegExp(`^${name}:(.*?)\\r?$`, "m"))?.[1];
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = oldest.split(".").map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
