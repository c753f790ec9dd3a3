import { type Attack, bothDatabases, type Report } from "../attack.ts";
import { makeOwned, type Owned, pathOf, type Route, routes } from "../routes.ts";
import { type Answer, send } from "../send.ts";
import { startVictim, type Victim } from "../victim.ts";

/** The lists that show what a request has created. */
const lists = ["conversations", "runs", "files", "assistants", "agents", "overrides", "approvals"];

/**
 * Repeats a request to every route that changes something, at the same time and later, with one
 * `Idempotency-Key`. All answers name the same object, and at most one object of each kind is
 * created. A first try of OpenAI's client counts as a new request, even if its body is equal.
 */
export const repeats: Attack = {
  name: "repeats",
  title: "concurrent and later repeats of a request to every route, with one key",
  on: bothDatabases,
  minutes: "once",
  async run({ combination, random, report, goesOn }) {
    await using victim = await startVictim(combination);
    do {
      const owned = await makeOwned(victim.api("ann"), `secret-${random.between(1, 2 ** 30)}`);
      // Deleting routes come last, because later routes need the objects.
      const deletes = ({ method }: Route) => Number(method === "DELETE");
      const changing = routes
        .filter(({ method, case: { refusal } }) => method !== "GET" && refusal === undefined)
        .toSorted((a, b) => deletes(a) - deletes(b));
      for (const route of changing) {
        await repeat(victim, route, { owned, key: `key-${random.between(1, 2 ** 50)}`, report });
        report.count("routes");
      }
      await tryTwice(victim, report);
    } while (goesOn());
  },
};

interface Repeated {
  readonly owned: Owned;
  readonly key: string;
  readonly report: Report;
}

async function repeat(victim: Victim, route: Route, { owned, key, report }: Repeated) {
  const before = await countAll(victim);
  const ask = () => request(victim, route, owned, { "idempotency-key": key });
  const concurrent = await Promise.all([ask(), ask(), ask()]);
  const later = await ask();
  const answered = [...concurrent, later].filter(({ status }) => status < 300);
  if (answered.length > 0 && later.status >= 300)
    report.problem(`${route.name}: a repeat gets ${later.status} ${later.text.slice(0, 200)}`);
  for (const { status, text } of concurrent)
    if (status >= 500) report.problem(`${route.name}: ${status} ${text.slice(0, 200)}`);
  if (route.case.repeats === "again") return;
  const named = new Set(answered.map(nameOf));
  if (named.size > 1) report.problem(`${route.name}: repeats got ${[...named].join(" and ")}`);
  const after = await countAll(victim);
  for (const [index, list] of lists.entries()) {
    const more = (after[index] ?? 0) - (before[index] ?? 0);
    if (more > 1) report.problem(`${route.name}: its repeats created ${more} ${list}`);
  }
}

/** Sends each request for a new object twice, as OpenAI's client sends first tries. */
async function tryTwice(victim: Victim, report: Report): Promise<void> {
  const owned = await makeOwned(victim.api("ann"), "secret-of-first-tries");
  const creating = [
    "POST /v1/responses",
    "POST /v1/conversations",
    "POST /v1/threads",
    "POST /v1/threads/runs",
    "POST /v1/threads/:id/messages",
    "POST /v1/threads/:id/fork",
    "POST /v1/conversations/:id/items",
    "POST /v1/chat/completions",
    "POST /v1/assistants",
    "POST /v1/uploads",
  ];
  for (const route of routes.filter(({ name }) => creating.includes(name))) {
    const ask = () => request(victim, route, owned, { "x-stainless-retry-count": "0" });
    const [first, second] = [await ask(), await ask()];
    report.count("first tries");
    if (first.status < 300 && second.status < 300 && nameOf(first) === nameOf(second))
      report.problem(`${route.name}: two requests with equal bodies got one ${nameOf(first)}`);
  }
}

function request(
  victim: Victim,
  route: Route,
  owned: Owned,
  headers: { readonly [name: string]: string },
): Promise<Answer> {
  return send(victim.url, {
    method: route.method,
    path: pathOf(route, owned),
    headers: {
      ...headers,
      authorization: `Bearer ${victim.keyOf("ann")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(route.case.body?.(owned) ?? {}),
  });
}

/** The id of the object in an answer, or all of the answer. */
function nameOf({ text }: Answer): string {
  const { id, first_id: first } = JSON.parse(text) as { id?: string; first_id?: string };
  return id ?? first ?? text.slice(0, 200);
}

async function countAll(victim: Victim): Promise<readonly number[]> {
  const api = victim.api("ann");
  return Promise.all(
    lists.map(async (list) => {
      let count = 0;
      for (let after = ""; ;) {
        const page = await api.request<Page>("GET", `/v1/${list}?limit=100${after}`);
        count += page.data.length;
        if (!page.has_more) return count;
        after = `&after=${page.last_id}`;
      }
    }),
  );
}

interface Page {
  readonly data: readonly object[];
  readonly has_more: boolean;
  readonly last_id: string;
}
