// oxlint-disable no-restricted-imports -- a database is started as the server's own tests start it
import {
  createJobSender,
  type JobSender,
} from "../../packages/server/src/dispatch/testing/job-sender.ts";
import {
  findRedis,
  startRedis,
  type TestRedis,
} from "../../packages/server/src/dispatch/testing/redis-server.ts";
import {
  findPostgres,
  startPostgres,
  testServer,
} from "../../packages/server/src/journal/testing/postgres-server.ts";
import { join } from "node:path";
import type { CombinationName } from "./combination-name.ts";
import type { Proof } from "./proof.ts";
import { cannotMount, openSmallDisk, type SmallDisk } from "./small-disk.ts";

/** A store, and how many nodes have it. */
export interface Combination {
  readonly name: CombinationName;
  readonly nodes: number;
  /** Why it cannot be tried here. */
  skip(): string | undefined;
  /** @param small whether it is kept on a small disk, which can be filled */
  open(small: boolean): Promise<Backing>;
}

/** What the nodes of one place share, and what can be done to it. */
export interface Backing extends AsyncDisposable {
  readonly environment: { readonly [name: string]: string };
  /** Where it is kept, if it is to be on a disk of its own. */
  readonly disk?: SmallDisk;
  /** The data directory there. */
  readonly data?: string;
  /** As a crash does it. */
  readonly restartDatabase?: () => Promise<void>;
  /** Starts it where it has ended by itself. */
  readonly reviveDatabase?: () => Promise<void>;
  /** What hands runs out between the nodes. */
  readonly redis?: TestRedis;
  /** Puts jobs for runs into it. */
  readonly jobs?: JobSender;
}

function withoutPostgres(): string | undefined {
  const postgres = findPostgres();
  return postgres.status === "missing" ? postgres.reason : undefined;
}

const sqlite: Combination = {
  name: "SQLite",
  nodes: 1,
  skip: () => undefined,
  open: async (small) => {
    if (!small) return { environment: {}, async [Symbol.asyncDispose]() {} };
    const disk = openSmallDisk(16);
    const data = join(disk.path, "data");
    return {
      environment: {},
      disk,
      data,
      [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose](),
    };
  },
};

const postgresAlone: Combination = {
  name: "PostgreSQL",
  nodes: 2,
  skip: withoutPostgres,
  open: async (small) => {
    const disk = small ? openSmallDisk(192) : undefined;
    const server = await (disk === undefined ? testServer() : startPostgres(disk.path));
    return {
      environment: { CAPSTAN_DATABASE_URL: await server.newDatabase() },
      ...(disk && { disk }),
      restartDatabase: () => server.restart(),
      reviveDatabase: () => server.revive(),
      async [Symbol.asyncDispose]() {
        if (disk === undefined) return;
        server.stop();
        await disk[Symbol.asyncDispose]();
      },
    };
  },
};

const postgresAndRedis: Combination = {
  name: "PostgreSQL and Redis",
  nodes: 2,
  skip: () => {
    const redis = findRedis();
    return withoutPostgres() ?? (redis.status === "missing" ? redis.reason : undefined);
  },
  open: async (small) => {
    const backing = await postgresAlone.open(small);
    const redis = await startRedis();
    const jobs = createJobSender(redis.url);
    return {
      ...backing,
      environment: { ...backing.environment, CAPSTAN_REDIS_URL: redis.url },
      redis,
      jobs,
      async [Symbol.asyncDispose]() {
        await jobs[Symbol.asyncDispose]();
        await redis[Symbol.asyncDispose]();
        await backing[Symbol.asyncDispose]();
      },
    };
  },
};

export const combinations: readonly Combination[] = [sqlite, postgresAlone, postgresAndRedis];

/** Why a proof cannot be tried on a combination here; undefined where it can. */
export function cannotRun(proof: Proof, combination: Combination): string | undefined {
  return combination.skip() ?? (proof.needsDisk === true ? cannotMount() : undefined);
}
