import { everywhere } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

const hourMs = 60 * 60 * 1_000;

export const clockSetBack: Proof = {
  name: "clock-set-back",
  title: "the clock is set back and forward",
  test: "all promises hold while the clock is set back and forth",
  on: everywhere,
  times: 20,
  quickly: 2,
  evidence: ({ runs }) =>
    runs.some(({ events }) => events.some((event, index) => isBefore(event, events[index - 1])))
      ? []
      : ["no run observed a clock that was set back"],
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(6);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(100, 600));
      // Sets the clock of one node, so that the nodes' clocks differ. The shift is too small for
      // approval requests to expire.
      place.setClock(random.pick(place.nodes), random.between(-10 * hourMs, hourMs));
      progress(done);
    }
    await inTime(load.stop(), "Not every run ended");
  },
};

function isBefore(event: object, other: object | undefined): boolean {
  if (other === undefined || !("at" in event) || !("at" in other)) return false;
  return Number(event.at) < Number(other.at);
}
