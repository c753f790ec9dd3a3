import { type Attack, bothDatabases } from "../attack.ts";
import { readContract } from "../published-contract.ts";
import { makeOwned, missingCases, type Owned, pathOf, type Route, routes } from "../routes.ts";
import { type Answer, send } from "../send.ts";
import { type Caller, startVictim, type Victim } from "../victim.ts";

/**
 * Sends a request for Ann's objects to every route: as Bob, as Cara (who has only the right `ask`),
 * without a key, and as Ann. Only Ann reads or changes them. Requests without the right are
 * rejected with the missing right, and Ann's answers are as `/openapi.json` describes them.
 */
export const principals: Attack = {
  name: "principals",
  title: "every route as another user, with a key with fewer rights, and without a key",
  on: bothDatabases,
  minutes: 2,
  async run({ combination, random, report, goesOn }) {
    await using victim = await startVictim(combination);
    for (const missing of missingCases()) report.problem(missing);
    const contract = await readContract(victim.url);
    do {
      const owned = await makeOwned(victim.api("ann"), `secret-${random.between(1, 2 ** 30)}`);
      const ofBob = await makeOwned(victim.api("bob"), `of-bob-${random.between(1, 2 ** 30)}`);
      const before = await readAll(victim, owned);
      for (const route of routes)
        for (const caller of ["bob", "cara", "nobody"] as const) {
          const subject = route.case.others === "absent" ? owned : ofBob;
          const answer = await ask(victim, caller, route, subject);
          const problems = [
            ...problemsOf(route, caller, answer, owned),
            ...contract.problemsOf(route.method, route.path, answer),
          ];
          for (const problem of problems) report.problem(`${route.name} as ${caller}: ${problem}`);
        }
      if ((await readAll(victim, owned)) !== before)
        report.problem("Requests of others changed what Ann reads of her own.");
      // Deleting routes come last, because later routes need the objects.
      const deleting = (route: Route) => Number(route.method === "DELETE");
      for (const route of routes.toSorted((a, b) => deleting(a) - deleting(b))) {
        const answer = await ask(victim, "ann", route, owned);
        const { status } = answer;
        for (const problem of contract.problemsOf(route.method, route.path, answer))
          report.problem(`${route.name} differs from /openapi.json: ${problem}`);
        if (route.case.refusal !== undefined) continue;
        const isRefused = status === 401 || status === 403 || status >= 500 || status === 0;
        const isAbsent = status === 404 && route.method !== "DELETE" && route.needs !== "admin";
        if (isRefused || isAbsent) report.problem(`${route.name} as its owner: ${status}`);
      }
      report.count("requests", 4 * routes.length);
    } while (goesOn());
  },
};

function ask(victim: Victim, caller: Caller, route: Route, owned: Owned): Promise<Answer> {
  const key = victim.keyOf(caller);
  const body = route.case.body?.(owned);
  const hasBody = body !== undefined || route.method === "POST" || route.method === "PUT";
  return send(victim.url, {
    method: route.method,
    path: pathOf(route, owned),
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(hasBody && { "content-type": "application/json" }),
    },
    ...(hasBody && { body: JSON.stringify(body ?? {}) }),
  });
}

function* problemsOf(
  route: Route,
  caller: Caller,
  { status, text }: Answer,
  owned: Owned,
): Generator<string> {
  if (status >= 500 || status === 0) return yield `${status} ${text.slice(0, 200)}`;
  const { refusal } = route.case;
  if (caller === "nobody") {
    const expected = route.needs === "none" ? (refusal ?? 200) : 401;
    if (status !== expected) yield `${status} instead of ${expected}`;
    return;
  }
  if (refusal !== undefined) {
    if (status !== refusal) yield `${status} instead of ${refusal}`;
    return;
  }
  const isRight = caller === "bob" || route.needs === "ask" || route.needs === "none";
  if (!isRight) {
    if (status !== 403) yield `${status} instead of 403`;
    return;
  }
  if (status === 403 && (caller === "bob" || route.toLoosen === undefined)) yield "403";
  if (route.case.others === "absent" && status < 400) yield `${status}: it is another user's`;
  if (route.case.others === "own") {
    const { secret, ...ids } = owned;
    for (const known of [secret, ids.conversation, ids.run, ids.waiting, ids.approval, ids.grant])
      if (text.includes(known)) yield `the answer has ${known} of another user`;
  }
}

/** All of Ann's own data, without values that change by themselves. */
async function readAll(victim: Victim, owned: Owned): Promise<string> {
  const texts: string[] = [];
  for (const route of routes) {
    if (route.method !== "GET" || route.case.others === "all") continue;
    texts.push((await ask(victim, "ann", route, owned)).text);
  }
  return texts.join("\n");
}
