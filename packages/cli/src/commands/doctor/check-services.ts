import { inspectRedis } from "@capstan/server";
import type { Inspection } from "@capstan/store";
import { inspectPostgres } from "@capstan/store/postgres";
import { type ReadUrl, readDatabaseUrl, readRedisUrl } from "../../configuration/secret-urls.ts";
import type { SystemCheck } from "./check-system.ts";

const withoutDatabase = "Servers with this address do not start, or may lose what was told.";
const withoutRedis =
  "Runs go on, though later: each server takes up what it finds in the database.";

/**
 * Looks at the PostgreSQL and the Redis that the environment names; where it names none, there is
 * nothing to say. No password is in the answer.
 */
export async function checkServices(environment: {
  readonly [name: string]: string | undefined;
}): Promise<readonly SystemCheck[]> {
  const database = readDatabaseUrl(environment["CAPSTAN_DATABASE_URL"]);
  const redis = readRedisUrl(environment["CAPSTAN_REDIS_URL"], database.status !== "none");
  const [ofDatabase, ofRedis] = await Promise.all([
    inspect(database, inspectPostgres),
    inspect(redis, inspectRedis),
  ]);
  return [
    ...ofDatabase.map((found) => ({ name: "postgresql", without: withoutDatabase, ...found })),
    ...ofRedis.map((found) => ({ name: "redis", without: withoutRedis, ...found })),
  ];
}

/** @returns what was found, if there is an address */
async function inspect(
  address: ReadUrl,
  look: (url: string) => Promise<Inspection>,
): Promise<readonly Inspection[]> {
  if (address.status === "none") return [];
  if (address.status === "invalid") return [{ status: "wrong", detail: address.problem }];
  return [await look(address.url)];
}
