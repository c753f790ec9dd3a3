// A node on a database, with runs that stream until it is killed: node bench/runs/node-process.ts ADDRESS RUNS
import { setTimeout as sleep } from "node:timers/promises";
import type { Model, ModelEvent } from "@capstan/core";
import { openPostgresStore } from "@capstan/store/postgres";
import { begin, createRuns, requestOf, monitorNodes } from "@capstan/server/testing";

const [connectionString = "", count = "0"] = process.argv.slice(2);

const model: Model = {
  id: "bench/endless",
  async *stream(_request, signal): AsyncGenerator<ModelEvent> {
    for (;;) {
      await sleep(50, undefined, { signal });
      yield { type: "text-delta", text: "and on " };
    }
  },
};

const store = await openPostgresStore({ connectionString });
const runs = createRuns({ store, model });
monitorNodes({ runs, onNodeGone: () => {}, log: () => {} });
const begun = await Promise.all(
  Array.from({ length: Number(count) }, () => begin(runs, requestOf("Continue until stopped."))),
);
process.send?.(begun.map(({ id }) => id));
// The bench kills this process.
setInterval(() => {}, 60_000);
