import { onPostgres } from "../combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const databaseRestarted: Proof = {
  name: "database-restarted",
  title: "PostgreSQL restarted in immediate mode",
  test: "a database that is restarted in mid-work again and again loses nothing that was told",
  on: onPostgres,
  times: 20,
  quickly: 1,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(6);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 700));
      await place.backing.restartDatabase?.();
      progress(done);
    }
    await inTime(load.stop(), "Every run did not end");
  },
};
