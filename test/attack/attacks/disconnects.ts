import { request as httpRequest } from "node:http";
import type { RunEvent, RunView } from "@capstan/contract";
import { groupTool } from "../../api.ts";
import { everyRun } from "../../breaking/end-state.ts";
import type { Random } from "../../breaking/random.ts";
import { type Attack, bothDatabases, type Report } from "../attack.ts";
import { type Sent, send } from "../send.ts";
import { startVictim, type Victim } from "../victim.ts";

const atOnce = 12;
const eachRound = 24;

/**
 * Clients disconnect at any byte of the request, of its stream, and of each stream with which they
 * continue. A request with an incomplete body starts nothing; each other request starts one run.
 * The streams of a run together have each event once, and its calls ran once.
 */
export const disconnects: Attack = {
  name: "disconnects",
  title: "clients that disconnect at any byte of requests and streams",
  on: bothDatabases,
  minutes: 3,
  async run({ combination, random, report, goesOn }) {
    await using victim = await startVictim(combination);
    do {
      const tags = Array.from({ length: eachRound }, () => `tag-${random.between(1, 2 ** 50)}`);
      for (let begun = 0; begun < eachRound; begun += atOnce)
        await Promise.all(
          tags.slice(begun, begun + atOnce).map((tag) => disconnect(victim, random, report, tag)),
        );
      report.count("runs", eachRound);
      const { status } = await send(victim.url, { method: "GET", path: "/healthz" });
      if (status !== 200 || !victim.isAlive())
        return report.problem(`The server is gone: ${victim.output().slice(-2_000)}`);
      for (const { id } of await everyRun(victim.api("ann")))
        await victim.api("ann").request("DELETE", `/v1/responses/${id}`);
    } while (goesOn());
  },
};

async function disconnect(
  victim: Victim,
  random: Random,
  report: Report,
  tag: string,
): Promise<void> {
  const api = victim.api("ann");
  const headers = { authorization: `Bearer ${victim.keyOf("ann")}` };
  const background = random.chance(70);
  const calls = Array.from(
    { length: random.between(0, 3) },
    (_, n) => `call Text ${JSON.stringify({ operation: "count", text: `${tag} ${n}` })}`,
  );
  const body = JSON.stringify({
    input: [tag, ...calls].join("\n"),
    background,
    stream: true,
    tools: [groupTool("basic")],
  });
  const isWhole = random.chance(80);
  const post: Sent = {
    method: "POST",
    path: "/v1/responses",
    headers: {
      ...headers,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
    body: isWhole ? body : body.slice(0, random.between(0, body.length - 1)),
  };
  // Gives the server time to start a run.
  const first = await readCut(victim, post, random.between(0, 4_000), random.between(0, 300));
  const created = await until(
    async () => (await everyRun(api)).filter(({ input }) => JSON.stringify(input).includes(tag)),
    // If the client has read events, a run exists.
    (runs) => runs.length > 0 || first === "",
  );
  if (!isWhole) return report.expect("runs of a request that was cut", created.length, 0);
  if (created.length === 0) return report.count("requests without a run");
  report.expect("runs of a request", created.length, 1);
  const run = created[0]?.id ?? "";
  const ended = await until(
    () => api.request<RunView>("GET", `/v1/runs/${run}`),
    ({ status }) => !["queued", "in_progress"].includes(status),
  );
  report.count(`${background ? "" : "not "}in the background ${ended.status}`);
  if (background) report.expect("the status of a background run", ended.status, "completed");

  const events = await inPieces(victim, random, headers, `/v1/runs/${run}/events?`, []);
  report.expect(
    `the numbers of the events of ${run}`,
    events.map((event) => (JSON.parse(event) as RunEvent).seq),
    events.map((_, index) => index + 1),
  );
  const whole = await api.finishedEvents(run);
  report.expect(
    `the events of ${run}`,
    events.map((event) => JSON.parse(event) as RunEvent),
    [...whole],
  );
  for (const { callId } of whole.filter(({ type }) => type === "call.proposed") as Called[]) {
    const starts = whole.filter((each) => each.type === "call.started" && each.callId === callId);
    if (background) report.expect(`starts of the call ${callId}`, starts.length, 1);
    else if (starts.length > 1) report.problem(`The call ${callId} was started twice.`);
  }
  const stream = `/v1/responses/${run}?stream=true&`;
  const read = await inPieces(victim, random, headers, stream, eventsOf(first));
  const all = eventsOf(
    await readCut(victim, { method: "GET", path: stream, headers }, Number.POSITIVE_INFINITY),
  );
  report.expect(`the response events of ${run}`, read, all);
}

type Called = Extract<RunEvent, { readonly type: "call.proposed" }>;

/** Reads a stream from where `seen` ends, cut off again and again. Returns the JSON of all events. */
async function inPieces(
  victim: Victim,
  random: Random,
  headers: Sent["headers"],
  path: string,
  seen: readonly string[],
): Promise<readonly string[]> {
  const all = [...seen];
  for (let tries = 0; !isLast(all.at(-1)); tries++) {
    if (tries > 500) throw new Error(`${path} does not end: ${all.at(-1)}`);
    const last = all.at(-1);
    const { seq, sequence_number: n } = JSON.parse(last ?? "{}") as Numbered;
    const after = last === undefined ? "" : `starting_after=${seq ?? n}`;
    const get: Sent = { method: "GET", path: path + after, headers: headers ?? {} };
    all.push(...eventsOf(await readCut(victim, get, random.between(0, 20_000))));
  }
  return all;
}

interface Numbered {
  readonly seq?: number;
  readonly sequence_number?: number;
}

function isLast(event: string | undefined): boolean {
  const { type } = JSON.parse(event ?? "{}") as { readonly type?: string };
  return (
    type === "chain.ended" ||
    /^response\.(?:completed|failed|incomplete|cancelled)$/.test(type ?? "")
  );
}

/** The events that arrived completely. */
function eventsOf(stream: string): readonly string[] {
  return stream
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => /^data: (\{.*)$/m.exec(block)?.[1] ?? []);
}

/**
 * Sends a request, and reads at most the given number of characters for the given number of
 * milliseconds.
 */
function readCut(
  { url }: Victim,
  { method, path, headers, body }: Sent,
  characters: number,
  ms?: number,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const request = httpRequest({ hostname, port, method, path, headers, agent: false });
    const end = () => {
      request.destroy();
      resolve(text.slice(0, characters));
    };
    request.on("error", end).on("response", (response) => {
      response.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        if (text.length >= characters) end();
      });
      response.on("end", end).on("error", end);
    });
    if (method === "GET") request.end();
    else request.write(body ?? "", () => ms !== undefined && setTimeout(end, ms));
  });
}

async function until<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await read();
    if (isThere(value) || tries > 400) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
