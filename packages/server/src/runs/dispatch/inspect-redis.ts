import { errorMessage } from "@capstan/core/host";
import { describeDatabase, type Fault, type Inspection, inspectionOf } from "@capstan/store";

/** The oldest version of Redis that the queue's scripts work with. */
const oldest = "6.2";

/**
 * Checks whether nodes could distribute runs through this Redis, without changing it.
 *
 * @param url `redis://user:password@host:6379/0`, or `rediss://`; the answer never contains the
 * password
 * @param timeoutMs the time limit for the connection and for each answer
 * @returns a result even if Redis cannot be reached
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
  // This event has the cause; the errors of pending commands only say that the connection is
  // closed.
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
      problem: "When its memory is full, it discards jobs.",
      fix: "redis-cli CONFIG SET maxmemory-policy noeviction, and the same setting in redis.conf",
    });
  return inspectionOf(`Redis ${version} at ${where}, maxmemory-policy ${policy}`, faults);
}

function unusable(where: string, error: unknown): Inspection {
  const reason = errorMessage(error);
  return {
    status: "wrong",
    detail: `Redis at ${where} cannot be used: ${reason}`,
    fix: /\b(WRONGPASS|NOAUTH|NOPERM|AUTH)\b/.test(reason)
      ? "Check that the user and the password in CAPSTAN_REDIS_URL are correct and have access to this Redis."
      : "Check that Redis runs and listens at this address, and use rediss:// only if it expects TLS.",
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
