import { everywhere } from "../stores/combination-name.ts";
import { isDeepStrictEqual } from "node:util";
import type { RunEvent } from "@capstan/contract";
import { readEventStream } from "../../api.ts";
import type { Place } from "../place.ts";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const reconnecting: Proof = {
  name: "reconnecting",
  title: "a client that reconnects at every event",
  test: "a client that reconnects at every event reads each event once, in order",
  on: everywhere,
  times: 40,
  quickly: 2,
  async run({ place, clients, times, progress }) {
    await place.startAll();
    for (let done = 1; done <= times; done++) {
      const run = await clients.begin();
      const work = [clients.follow(run), readRunSingly(place, run), readResponseSingly(place, run)];
      await inTime(Promise.all(work), `The run ${run} was not read to its end`);
      progress(done);
    }
  },
};

/** Reads one event per connection, each at a random node, while the run is in progress. */
async function readRunSingly(place: Place, run: string): Promise<void> {
  const seen: RunEvent[] = [];
  while (seen.at(-1)?.type !== "chain.ended") {
    const api = await place.anyApi();
    for await (const event of api.events(run, seen.length)) {
      seen.push(event);
      break;
    }
  }
  const whole = await Array.fromAsync((await place.anyApi()).events(run));
  if (!isDeepStrictEqual(seen, whole)) throw new Error(`${run}: read singly, its events differ`);
}

/** Reads the Responses API's events in the same way; its calls may wait for approval meanwhile. */
async function readResponseSingly(place: Place, run: string): Promise<void> {
  const seen: string[] = [];
  const ended = /"type":"response\.(?:completed|failed|incomplete)"/;
  while (!ended.test(seen.at(-1) ?? "")) {
    const after = seen.length === 0 ? "" : `&starting_after=${seen.length - 1}`;
    for await (const data of responseEvents(place, run, after)) {
      seen.push(data);
      break;
    }
  }
  const whole = await Array.fromAsync(responseEvents(place, run, ""));
  if (!isDeepStrictEqual(seen, whole))
    throw new Error(`${run}: read singly, its response's events differ`);
}

/** The numbered events of a response as text; the end marker of the stream is left out. */
async function* responseEvents(place: Place, run: string, query: string): AsyncGenerator<string> {
  const { url } = await place.anyApi();
  const stop = new AbortController();
  try {
    const response = await fetch(`${url}/v1/responses/${run}?stream=true${query}`, {
      signal: stop.signal,
    });
    for await (const { data } of readEventStream(response)) if (data !== "[DONE]") yield data;
  } finally {
    stop.abort();
  }
}
