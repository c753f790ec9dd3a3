import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "@capstan/contract";
import { ApiRefusal, groupTool } from "../api.ts";
import type { Place } from "./place.ts";
import { anyPlan, type Plan } from "./plan.ts";
import type { Random } from "./random.ts";

/** Clients that use the nodes, also while the nodes fail. */
export interface Clients {
  readonly confirmed: readonly string[];
  /** Runs that were followed and whose end no client has read. */
  unended(): readonly string[];
  readonly told: ReadonlyMap<string, readonly RunEvent[]>;
  /** Begins a run at some node. Resolves with its id once a node has confirmed it. */
  begin(plan?: Plan): Promise<string>;
  /** Follows a run to its end, from node to node, and answers what it asks. */
  follow(run: string): Promise<void>;
  /** Follows it until it waits for approval. */
  followUntilParked(run: string): Promise<void>;
  /** Follows the given runs to their end, except those whose end was read. */
  finish(runs: readonly string[]): Promise<void>;
  /**
   * Starts and follows runs, with the given concurrency, until it is stopped. `stop` resolves when
   * all runs have ended.
   *
   * @param plan of each of them. @default any
   */
  load(atOnce: number, plan?: Plan): { readonly stop: () => Promise<void> };
}

/** The delay before a failed request is repeated. */
const pauseMs = 25;

export interface ClientsOptions {
  readonly place: Place;
  readonly random: Random;
  /** They leave. */
  readonly signal: AbortSignal;
}

export function createClients({ place, random, signal }: ClientsOptions): Clients {
  const confirmed: string[] = [];
  const told = new Map<string, RunEvent[]>();

  async function begin(plan = anyPlan(random)): Promise<string> {
    const body = {
      input: JSON.stringify(plan),
      background: true,
      approvals: "inline",
      tools: [groupTool("counting")],
    };
    const { id } = await insist<{ readonly id: string }>("POST", "/v1/responses", body);
    confirmed.push(id);
    return id;
  }

  /** Sends a request to one node after another until one answers. An API error is a fault. */
  async function insist<T>(method: string, path: string, body: unknown): Promise<T> {
    for (;;) {
      const api = await place.anyApi();
      signal.throwIfAborted();
      try {
        return await api.request<T>(method, path, body);
      } catch (thrown) {
        if (thrown instanceof ApiRefusal && thrown.status < 500) throw thrown;
        await sleep(pauseMs);
      }
    }
  }

  /** Reads a run from the last event that was read, at one node after another, until `isOver`. */
  async function read(
    run: string,
    isOver: (event: RunEvent) => boolean,
    onEvent: (event: RunEvent) => void,
  ): Promise<void> {
    const seen = told.get(run) ?? [];
    told.set(run, seen);
    for (;;) {
      const api = await place.anyApi();
      signal.throwIfAborted();
      try {
        for await (const event of api.events(run, seen.length)) {
          seen.push(event);
          onEvent(event);
          if (isOver(event)) return;
        }
      } catch {
        // If the node is gone or its stream broke, the next node sends the missing events.
      }
      await sleep(pauseMs);
    }
  }

  const isEnd = ({ type }: RunEvent) => type === "chain.ended";

  async function follow(run: string): Promise<void> {
    const answers: Promise<unknown>[] = [];
    const answer = (event: RunEvent) => {
      if (event.type !== "approval.requested") return;
      const decision = random.chance(80) ? "allow" : "refuse";
      answers.push(insist("POST", `/v1/approvals/${event.approval.id}`, { decision }));
    };
    // Answers the questions that arrived before.
    for (const event of told.get(run) ?? []) answer(event);
    await read(run, isEnd, answer);
    await Promise.all(answers);
  }

  return {
    confirmed,
    unended: () => [...told].flatMap(([run, seen]) => (seen.some(isEnd) ? [] : [run])),
    told,
    begin,
    follow,
    followUntilParked: (run) =>
      read(
        run,
        (event) => event.type === "chain.waiting" || isEnd(event),
        () => {},
      ),
    async finish(runs) {
      const open = runs.filter((run) => told.get(run)?.some(isEnd) !== true);
      await Promise.all(open.map(follow));
    },
    load(atOnce, plan) {
      let isStopped = false;
      const work = async () => {
        while (!isStopped) await follow(await begin(plan));
      };
      const all = Promise.all(Array.from({ length: atOnce }, work));
      // `stop` reports a fault that occurred at any time.
      all.catch(() => {});
      return {
        stop: async () => {
          isStopped = true;
          await all;
        },
      };
    },
  };
}
