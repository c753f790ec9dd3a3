import {
  createJobSender,
  findRedis,
  type JobSender,
  startRedis,
  type TestRedis,
} from "@capstan/server/testing";
import { rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CombinationName } from "./combination-name.ts";
import {
  findPostgres,
  type NodeRuns,
  readNodeRuns,
  startPostgres,
  testServer,
} from "@capstan/store/testing";
import { cannotMount, openSmallDisk, type Room } from "./small-disk.ts";

/** A store with its number of nodes. */
export interface Combination {
  readonly name: CombinationName;
  readonly nodes: number;
  /** The reason why it cannot run here. @param small whether it needs a disk that can be full */
  skip(small: boolean): string | undefined;
  /** @param small whether its disk can be full */
  open(small: boolean): Promise<Backing>;
}

/** The storage that the nodes of one place share, and the faults that can be injected into it. */
export interface Backing extends AsyncDisposable {
  readonly environment: { readonly [name: string]: string };
  /** Set if the store's disk can be filled. */
  readonly disk?: Room;
  /** The data directory, if it is on a disk of its own. */
  readonly data?: string;
  /** A module that each node loads before its own code. */
  readonly preload?: string;
  /** Kills the database without a shutdown. */
  readonly restartDatabase?: () => Promise<void>;
  /** Starts the database if it has ended by itself. */
  readonly reviveDatabase?: () => Promise<void>;
  /** The queue that distributes runs between the nodes. */
  readonly redis?: TestRedis;
  /** Returns the runs that a node owns, from the database. */
  readonly nodeRuns?: NodeRuns;
  /** Adds jobs for runs to the queue. */
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
    if (cannotMount() !== undefined) return openPageLimit();
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

const pageLimit = new URL("page-limit.ts", import.meta.url).href;
const pageBytes = 4_096;

/** Used if no disk can be mounted: SQLite rejects new pages instead. */
export async function openPageLimit(): Promise<Backing> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-pages-"));
  const file = join(folder, "pages");
  const removeAtOnce = () => rmSync(folder, { recursive: true, force: true });
  process.prependOnceListener("exit", removeAtOnce);
  return {
    environment: { CAPSTAN_TEST_PAGES: file },
    preload: pageLimit,
    disk: {
      fill: (leave) => writeFileSync(file, String(Math.floor(leave / pageBytes))),
      free: () => rmSync(file, { force: true }),
    },
    async [Symbol.asyncDispose]() {
      process.off("exit", removeAtOnce);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const postgresAlone: Combination = {
  name: "PostgreSQL",
  nodes: 2,
  skip: (small) => withoutPostgres() ?? (small ? cannotMount() : undefined),
  open: async (small) => {
    const disk = small ? openSmallDisk(192) : undefined;
    const server = await (disk === undefined ? testServer() : startPostgres(disk.path));
    const databaseUrl = await server.newDatabase();
    return {
      environment: { CAPSTAN_DATABASE_URL: databaseUrl },
      nodeRuns: readNodeRuns(databaseUrl),
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
  skip: (small) => {
    const redis = findRedis();
    return postgresAlone.skip(small) ?? (redis.status === "missing" ? redis.reason : undefined);
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

/** Returns why a proof cannot run on a combination on this machine, or `undefined` if it can. */
export function cannotRun(
  proof: { readonly needsDisk?: true },
  combination: Combination,
): string | undefined {
  return combination.skip(proof.needsDisk === true);
}
