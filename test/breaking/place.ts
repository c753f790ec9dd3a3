import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Api, createApi } from "../api.ts";
import {
  createServerFolder,
  type ServerFolder,
  type ServerProcess,
  startServerProcess,
} from "../server-process.ts";
import { breakingNode } from "../server-scripts.ts";
import { startUpstream } from "../upstream.ts";
import type { Backing, Combination } from "./stores/combinations.ts";
import { followPlan } from "./plan.ts";
import type { Random } from "./random.ts";

/** Nodes with a shared store and a shared model. */
export interface Place extends AsyncDisposable {
  readonly combination: Combination;
  readonly backing: Backing;
  readonly folder: ServerFolder;
  /** The file in which the tools record their executions. */
  readonly executions: string;
  /** Numbers of the nodes: 0, or 0 and 1. */
  readonly nodes: readonly number[];
  /** Starts a node that is not running, and waits until it listens. */
  start(node: number): Promise<void>;
  /** Starts all nodes that are not running. */
  startAll(): Promise<void>;
  kill(node: number): Promise<void>;
  /** SIGSTOP, or SIGCONT. A stopped node gets no requests. */
  signal(node: number, signal: "SIGSTOP" | "SIGCONT"): void;
  /** Shifts a node's clock by the given number of ms. */
  setClock(node: number, ms: number): void;
  /** A node's API. */
  api(node: number): Api;
  /** Returns the API of any running node; waits if none runs. */
  anyApi(): Promise<Api>;
  /** The output of the nodes, of all their processes. */
  output(): string;
}

const settableClock = new URL("settable-clock.ts", import.meta.url).href;

export interface PlaceOptions {
  readonly combination: Combination;
  readonly random: Random;
  /** Whether the store's disk can be filled. @default false */
  readonly smallDisk?: boolean;
}

export async function openPlace({
  combination,
  random,
  smallDisk = false,
}: PlaceOptions): Promise<Place> {
  await using opening = new AsyncDisposableStack();
  const upstream = opening.use(await startUpstream(followPlan));
  const backing = opening.use(await combination.open(smallDisk));
  const work = opening.use(await createServerFolder());
  const folder = { ...work, data: backing.data ?? work.data };
  const running = new Map<number, ServerProcess>();
  const still = new Set<number>();
  const ended: ServerProcess[] = [];
  let news = Promise.withResolvers<void>();
  const nodes = Array.from({ length: combination.nodes }, (_, node) => node);
  opening.defer(async () => {
    await Promise.all([...running.values()].map((server) => server.kill()));
  });

  const there = () => [...running].filter(([node]) => !still.has(node));
  const get = (node: number): ServerProcess => {
    const server = running.get(node);
    if (server === undefined) throw new Error(`The node ${node} is not there.`);
    return server;
  };
  const tell = () => {
    news.resolve();
    news = Promise.withResolvers();
  };

  const preloads = [settableClock, ...(backing.preload === undefined ? [] : [backing.preload])];
  const clockOf = (node: number) => join(folder.work, `clock-${node}`);

  async function start(node: number): Promise<void> {
    const server = await startServerProcess({
      folder,
      script: breakingNode,
      environment: {
        ...upstream.environment,
        ...backing.environment,
        CAPSTAN_TEST_CLOCK: clockOf(node),
        NODE_OPTIONS: preloads.map((file) => `--import=${file}`).join(" "),
      },
    });
    running.set(node, server);
    tell();
  }

  const resources = opening.move();
  return {
    combination,
    backing,
    folder,
    executions: join(folder.work, "executions.txt"),
    nodes,
    start,
    startAll: async () => {
      await Promise.all(nodes.filter((node) => !running.has(node)).map(start));
    },
    async kill(node) {
      const server = get(node);
      running.delete(node);
      still.delete(node);
      ended.push(server);
      await server.kill();
    },
    signal(node, signal) {
      if (signal === "SIGSTOP") still.add(node);
      else still.delete(node);
      process.kill(get(node).pid, signal);
      tell();
    },
    setClock: (node, ms) => writeFileSync(clockOf(node), String(ms)),
    api: (node) => createApi(get(node).url),
    async anyApi() {
      for (;;) {
        const nodes = there();
        if (nodes.length > 0) return createApi(random.pick(nodes)[1].url);
        await news.promise;
      }
    },
    output: () => [...ended, ...running.values()].map((server) => server.output()).join(""),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
