import { cp, rm } from "node:fs/promises";
import { checkStore } from "@capstan/store";
import type { Random } from "../../breaking/random.ts";
import type { Combination } from "../../breaking/stores/combinations.ts";
import type { ServerFolder } from "../../server-process.ts";
import type { Attack, Report } from "../attack.ts";
import { contentOf, damage, type DamagedPlace, places } from "../damage.ts";
import { makeOwned } from "../routes.ts";
import { type Answer, send } from "../send.ts";
import { startVictim, type Victim, victimFolder } from "../victim.ts";

const lists = ["runs", "conversations", "approvals", "grants", "overrides"];

/**
 * Changes a stored data directory at random places and starts the server on it. The check names the
 * damage. The server starts, or names the reason why it does not. Damaged rows hide no others.
 */
export const disk: Attack = {
  name: "disk",
  title: "flipped bits in rows, indexes, pages, the log and inputs on the disk",
  on: ["SQLite"],
  minutes: 6,
  async run({ combination, random, report, goesOn }) {
    await using folder = await victimFolder();
    const good = `${folder.data}-good`;
    // The second one is killed: what it wrote is in the log.
    for (const end of ["stopped", "killed"]) {
      await using victim = await startVictim(combination, folder);
      const ann = victim.api("ann");
      const { conversation } = await makeOwned(ann, `until ${end}`);
      const input = `${end} `.repeat(20_000);
      await ann.finishedEvents(await ann.startTurn({ conversation, input }));
      if (end === "stopped") await victim.stop();
    }
    await cp(folder.data, good, { recursive: true });
    const content = contentOf(good);
    const entries = await readEntries(combination, folder);
    await rm(folder.data, { recursive: true });
    await cp(good, folder.data, { recursive: true });
    do {
      await rm(folder.data, { recursive: true });
      await cp(good, folder.data, { recursive: true });
      await tryOne({ combination, random, report, folder, content, entries });
    } while (goesOn());
  },
};

/** By list and id: an entry as JSON, or `damaged`. */
type Entries = ReadonlyMap<string, string>;

/** Reads the entries of all lists of a data directory that is as it was written. */
async function readEntries(combination: Combination, folder: ServerFolder): Promise<Entries> {
  await using victim = await startVictim(combination, folder);
  const entries = new Map<string, string>();
  for (const list of lists)
    for (const [id, text] of entriesOf(list, await readList(victim, list))) entries.set(id, text);
  return entries;
}

function readList(victim: Victim, list: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${victim.keyOf("ann")}` };
  return send(victim.url, { method: "GET", path: `/v1/${list}`, headers });
}

/** The server resumes runs when it starts: their entries change. */
const changing = new Set(["queued", "in_progress", "requires_action"]);

function entriesOf(list: string, { text }: Answer): readonly (readonly [string, string])[] {
  const { data } = JSON.parse(text) as { readonly data: readonly Entry[] };
  return data
    .filter(({ object, status }) => object !== "run" || !changing.has(status ?? ""))
    .map((entry) => {
      const isDamaged =
        entry.object === "damaged" || entry.damaged === true || entry.error?.code === "run_damaged";
      // The status of a conversation's last run, whose row may be damaged.
      const { head_status: _, ...own } = entry;
      return [`${list} ${entry.id}`, isDamaged ? "damaged" : JSON.stringify(own)] as const;
    });
}

interface Entry {
  readonly id: string;
  readonly object: string;
  readonly status?: string;
  readonly head_status?: string;
  readonly damaged?: boolean;
  readonly error?: { readonly code: string } | null;
}

async function tryOne({
  combination,
  random,
  report,
  folder,
  content,
  entries,
}: {
  readonly combination: Combination;
  readonly random: Random;
  readonly report: Report;
  readonly folder: ServerFolder;
  readonly content: string | undefined;
  readonly entries: Entries;
}): Promise<void> {
  const chosen = random.pick(places);
  const damaged: DamagedPlace[] = [];
  for (let n = random.pick([1, 1, 2, 5]); n > 0; n--)
    if (damage(random, folder.data, chosen)) damaged.push(chosen);
  for (const place of damaged) report.count(`damaged ${place}s`.replace("index", "indexe"));
  if (damaged.length === 0) return;
  const what = `${damaged.length} × ${chosen}`;
  const isChanged = chosen === "input" || contentOf(folder.data) !== content;
  const problems = await checkStore({ dataDir: folder.data }).then(
    (check) => check.problems,
    (error: Error) => [error.message],
  );
  // The end of a log may be lost as if the power had failed.
  if (isChanged && problems.length === 0 && chosen !== "log")
    report.problem(`${what}: db check names nothing, and the content has changed`);
  const isReadable = chosen === "input" || problems.every((problem) => problem.startsWith("Row "));
  try {
    await using victim = await startVictim(combination, folder);
    report.count("starts");
    for (const list of lists) {
      const answer = await readList(victim, list);
      const isRefused = !isReadable && answer.text.includes('"database_corrupt"');
      if (answer.status !== 200 && !isRefused)
        report.problem(
          `${what}: /v1/${list} is ${answer.status} ${answer.text.slice(0, 300)} (db check: ${problems.join(" ").slice(0, 500)}; the server logged: ${victim.output().slice(-2_000)})`,
        );
      // A damaged log may leave the state before its last commits.
      if (answer.status !== 200 || chosen === "log") continue;
      for (const [id, text] of entriesOf(list, answer))
        if (text !== "damaged" && text !== (entries.get(id) ?? text))
          report.problem(`${what}: /v1/${list} shows ${text} instead of ${entries.get(id)}`);
    }
    if (!victim.isAlive()) report.problem(`${what}: the server ended: ${victim.output()}`);
  } catch (thrown) {
    const { message } = thrown as Error;
    const isExplained = /restore a backup|db check/i.test(message);
    if (isReadable || !isExplained) report.problem(`${what}: ${message.slice(0, 1_000)}`);
    else report.count("refused starts");
  }
}
