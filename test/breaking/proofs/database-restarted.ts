import { onPostgres } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListView, RunView } from "@capstan/contract";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

const newest = "/v1/runs?limit=20";

export const databaseRestarted: Proof = {
  name: "database-restarted",
  title: "PostgreSQL is restarted in immediate mode",
  test: "a database that restarts repeatedly during work loses no confirmed data",
  on: onPostgres,
  times: 20,
  quickly: 1,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(6);
    let cutOff = 0;
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 700));
      const { data } = await (await place.anyApi()).request<ListView<RunView>>("GET", newest);
      cutOff += data.filter(({ status }) => status === "in_progress").length;
      await place.backing.restartDatabase?.();
      progress(done);
    }
    await inTime(load.stop(), "Not every run ended");
    return cutOff > 0 ? [] : ["no run continued while the database restarted"];
  },
};
