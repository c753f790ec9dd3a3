import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, bothDatabases, type Report } from "../attack.ts";
import { type LargeRequest, largeRequests, prepareLarge } from "../large-requests.ts";
import { startVictim, type Victim, victimFolder } from "../victim.ts";

/** The longest turn of the event loop, in ms of the main thread's processor time. */
const mostMs = 2_000;

/** The maximum memory of the server, in MB. */
const mostMb = 1_500;

/**
 * Sends the largest request of each kind: megabytes of one field, or thousands of small values. None
 * blocks the event loop for long or fills the memory, whether it is accepted or rejected.
 */
export const large: Attack = {
  name: "large",
  title: "the largest request of each kind: long texts, long lists, many levels",
  on: bothDatabases,
  minutes: "once",
  skip: () => (process.platform === "linux" ? undefined : "reads /proc"),
  async run({ combination, report, goesOn }) {
    await using folder = await victimFolder({ bodyBytes: 64_000_000 });
    const stalls = join(folder.work, "stalls.txt");
    const preload = new URL("../measure-stalls.mjs", import.meta.url).href;
    const environment = { NODE_OPTIONS: `--import ${preload}`, STALLS_FILE: stalls };
    await using victim = await startVictim(combination, folder, environment);
    const places = await prepareLarge(victim.api("ann"));
    do
      for (const request of largeRequests(places)) {
        writeFileSync(stalls, "");
        await attack(victim, request, report);
        const turns = readFileSync(stalls, "utf8").split("\n").map(Number);
        const longest = Math.max(...turns);
        if (longest > mostMs)
          report.problem(`${request.name}: blocked the event loop for ${longest} ms`);
        report.count("requests");
        if (!victim.isAlive()) return report.problem(`${request.name}: the server is gone`);
      }
    while (goesOn());
    const status = readFileSync(`/proc/${victim.pid}/status`, "utf8");
    const peak = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
    report.count("MB of memory at most", peak);
    if (peak > mostMb) report.problem(`The server used ${peak} MB of memory.`);
  },
};

async function attack(victim: Victim, request: LargeRequest, report: Report): Promise<void> {
  const { name, path, body, headers = {} } = request;
  const authorization = `Bearer ${victim.keyOf("ann")}`;
  const answer = await fetch(new URL(path, victim.url), {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  }).catch((thrown: unknown) => {
    // The server may reject a body and close the connection before the client has sent it all.
    if (isClosedEarly(thrown)) return undefined;
    throw thrown;
  });
  if (answer === undefined) return;
  const text = await answer.text();
  if (answer.status >= 500) report.problem(`${name}: ${answer.status} ${text.slice(0, 200)}`);
  // A run that the request started can still be active.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

function isClosedEarly(thrown: unknown): boolean {
  const { cause } = thrown as { readonly cause?: { readonly code?: string } };
  return cause?.code === "EPIPE" || cause?.code === "ECONNRESET";
}
