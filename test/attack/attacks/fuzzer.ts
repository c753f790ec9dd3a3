import type { CallView } from "@capstan/contract";
import { audit } from "../../breaking/audit.ts";
import { everyRun, readRun } from "../../breaking/end-state.ts";
import type { Random } from "../../breaking/random.ts";
import { type Attack, bothDatabases, type Report } from "../attack.ts";
import { anyText, mutate, mutateOne } from "../mutate.ts";
import { makeOwned, type Owned, pathOf, type Route, routes } from "../routes.ts";
import { type Answer, type Sent, send } from "../send.ts";
import { startVictim, type Victim } from "../victim.ts";

/** Concurrent requests. */
const atOnce = 8;

/** The number of requests between two health checks, and the minimum number of requests. */
const eachRound = 600;

/**
 * Sends nearly valid requests to every route: wrong types, sizes, depths, characters, headers. The
 * server never crashes and never hangs, and its runs are valid afterwards.
 */
export const fuzzer: Attack = {
  name: "fuzzer",
  title: "nearly valid requests to every route",
  on: bothDatabases,
  minutes: 5,
  async run({ combination, random, report, goesOn }) {
    await using victim = await startVictim(combination);
    const api = victim.api("ann");
    let owned = await makeOwned(api, "secret");
    do {
      for (let sent = 0; sent < eachRound; sent += atOnce)
        await Promise.all(
          Array.from({ length: atOnce }, () => {
            const request = anyRequest(random, owned, victim);
            return send(victim.url, request).then(
              (answer) => judge(victim, request, answer, report),
              (hangs: Error) => report.problem(hangs.message),
            );
          }),
        );
      const health = await send(victim.url, { method: "GET", path: "/healthz" });
      if (health.status !== 200 || !victim.isAlive()) {
        return report.problem(`The server is gone: ${victim.output().slice(-2_000)}`);
      }
      report.count("requests", eachRound);
      for (const problem of await auditRuns(victim)) report.problem(problem);
      owned = await makeOwned(api, "secret");
    } while (goesOn());
  },
};

function judge(victim: Victim, request: Sent, { status, text }: Answer, report: Report): void {
  const what = `${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(request.headers)} ${String(request.body).slice(0, 2_000)}`;
  if (status >= 500)
    return report.problem(
      `${status} ${text.slice(0, 300)} to ${what}; logged last: ${victim.output().slice(-3_000)}`,
    );
  // Node.js answers requests that are not HTTP, not the API.
  if (status < 400 || text === "" || !request.path.startsWith("/v1/")) return;
  const form = /^\{"error":\{"message":".+","type":"\w+","param":.*"code":"\w+"\}\}$/s;
  if (!form.test(text))
    report.problem(`${status} without an error: ${text.slice(0, 300)} to ${what}`);
}

const varied = routes.filter((route) => route.case.variants !== undefined);

function anyRequest(random: Random, owned: Owned, victim: Victim): Sent {
  // Routes with more bodies have more fields to change.
  const route = random.pick(random.chance(30) ? varied : routes);
  const method = random.chance(95)
    ? route.method
    : random.pick(["PATCH", "OPTIONS", "HEAD", "PUT"]);
  const headers: { [name: string]: string } = { authorization: `Bearer ${victim.keyOf("ann")}` };
  const path = anyPath(random, route, owned);
  if (random.chance(5)) headers[random.pick(headerNames)] = random.pick(headerValues);
  if (method === "GET" || method === "HEAD" || method === "DELETE")
    return { method, path, headers };
  headers["content-type"] ??= random.chance(97) ? "application/json" : random.pick(headerValues);
  return { method, path, headers, body: anyBody(random, route, owned) };
}

const headerNames = [
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "last-event-id",
  "origin",
  "range",
  "x-stainless-retry-count",
];
const headerValues = [
  "",
  "x",
  "0",
  "-1",
  "*",
  "gzip",
  "Bearer",
  "http://[::1",
  "a".repeat(5_000),
  "\u00ff",
  "application/json; charset=utf-7",
];

const queryNames = [
  "limit",
  "after",
  "status",
  "starting_after",
  "stream",
  "start",
  "length",
  "conversation",
  "search",
  "type",
  "outcome",
  "include_obfuscation",
];

/** Returns the route's path with other ids and queries, in a form that a request line can have. */
function anyPath(random: Random, route: Route, owned: Owned): string {
  let path = pathOf(route, owned);
  if (random.chance(15)) path = path.replace(/[^/?]{8,}/, () => encoded(anyText(random)));
  if (random.chance(3)) path = path.replace("/v1/", "/v1/%");
  if (random.chance(15)) {
    const [bare, query] = path.split("?");
    const given = new URLSearchParams(query);
    const names = given.size > 0 && random.chance(50) ? [...given.keys()] : queryNames;
    given.set(random.pick(names), anyText(random).toWellFormed());
    path = `${bare}?${given}`;
  }
  return path;
}

/** Lone surrogates are not valid in a URI. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function anyBody(random: Random, route: Route, owned: Owned): string {
  const bodies = [route.case.body?.(owned) ?? {}, ...(route.case.variants?.(owned) ?? [])];
  const body = random.pick(bodies);
  const change = random.chance(50) ? mutate : mutateOne;
  const text = JSON.stringify(change(random, body));
  if (!random.chance(10)) return text;
  const at = random.between(0, text.length);
  return random.pick([
    text.slice(0, at),
    text.slice(0, at) + anyText(random) + text.slice(at),
    `${text}${text}`,
    "",
  ]);
}

/** Cancels the runs in progress, and checks all runs as after a crash. */
async function auditRuns(victim: Victim): Promise<readonly string[]> {
  const api = victim.api("ann");
  for (const { id, status } of await everyRun(api))
    if (["queued", "in_progress", "requires_action"].includes(status))
      await api.cancel(id).catch(() => {});
  const runs = [];
  for (const { id } of await everyRun(api)) runs.push(await readRun(api, id));
  // The built-in tools record no executions, so each successful call is assumed to have run once.
  const executions = runs
    .flatMap(({ calls }) => calls)
    .filter(({ status }: CallView) => status === "succeeded")
    .flatMap(({ idempotencyKey: key, name: tool }) => [
      { step: "begun", key, tool } as const,
      { step: "ended", key, tool } as const,
    ]);
  const found = audit({ runs, executions, confirmed: [], told: new Map() });
  for (const { id } of await everyRun(api))
    await api.request("DELETE", `/v1/responses/${id}`).catch(() => {});
  return found;
}
