import { cp, rm } from "node:fs/promises";
import { checkStore } from "@capstan/store";
import type { Random } from "../../breaking/random.ts";
import type { Combination } from "../../breaking/stores/combinations.ts";
import type { ServerFolder } from "../../server-process.ts";
import type { Attack, Report } from "../attack.ts";
import { contentOf, damage, type DamagedPlace, keysOf, places } from "../damage.ts";
import { makeOwned } from "../routes.ts";
import { type Answer, send } from "../send.ts";
import { startVictim, type Victim, victimFolder } from "../victim.ts";

const lists = ["runs", "conversations", "approvals", "grants", "overrides"];

/**
 * Changes a stored data directory at random places and starts the server on it. The check names the
 * damage. The server starts, or names the reason why it does not. Intact rows remain readable.
 */
export const disk: Attack = {
  name: "disk",
  title: "flipped bits in rows, indexes, pages, the log and inputs on the disk",
  on: ["SQLite"],
  minutes: 6,
  async run({ combination, random, report, goesOn }) {
    await using folder = await victimFolder();
    const good = `${folder.data}-good`;
    // The second server is killed, so its writes are still in the log.
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
    const keys = keysOf(good);
    const entries = await readEntries(combination, folder);
    await rm(folder.data, { recursive: true });
    await cp(good, folder.data, { recursive: true });
    do {
      await rm(folder.data, { recursive: true });
      await cp(good, folder.data, { recursive: true });
      await tryOne({ combination, random, report, folder, content, keys, entries });
    } while (goesOn());
  },
};

/** Keyed by list and id: an entry as JSON, or `damaged`. */
type Entries = ReadonlyMap<string, string>;

/** Reads the entries of all lists of an undamaged data directory. */
async function readEntries(combination: Combination, folder: ServerFolder): Promise<Entries> {
  await using victim = await startVictim(combination, folder);
  const entries = new Map<string, string>();
  for (const list of lists)
    for (const [id, text] of entriesOf(list, await readList(victim, list))) {
      entries.set(id, text);
      for (const path of pathsOf(id)) {
        const answer = await read(victim, path);
        // Some entries have no route.
        if (answer.status === 200) entries.set(path, comparable(answer.text));
      }
    }
  return entries;
}

/** The routes that read one entry, by its list and id. */
function pathsOf(entry: string): readonly string[] {
  const [list = "", id = ""] = entry.split(" ");
  const path = `/v1/${list}/${encodeURIComponent(id)}`;
  if (list === "runs") return ["", "/events", "/calls", "/approvals"].map((part) => path + part);
  if (list === "conversations") return ["", "/runs", "/variables"].map((part) => path + part);
  return [path];
}

function readList(victim: Victim, list: string): Promise<Answer> {
  return read(victim, `/v1/${list}`);
}

function read(victim: Victim, path: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${victim.keyOf("ann")}` };
  // The runs have ended, so their streams end, too. A slow machine reads them for longer.
  return send(victim.url, { method: "GET", path, headers, streamMs: 15_000 });
}

/** The server resumes runs when it starts: their entries change. */
const changing = new Set(["queued", "in_progress", "requires_action"]);

function entriesOf(list: string, { text }: Answer): readonly (readonly [string, string])[] {
  const { data } = JSON.parse(text) as { readonly data: readonly Entry[] };
  return data
    .filter(({ object, status }) => object !== "run" || !changing.has(status ?? ""))
    .map((entry) => {
      const isDamaged =
        entry.object === "corrupt" || entry.corrupt === true || entry.error?.code === "run_corrupt";
      // The status of a conversation's last run, whose row may be damaged.
      const { head_status: _, ...own } = entry;
      return [`${list} ${entry.id}`, isDamaged ? "damaged" : JSON.stringify(own)] as const;
    });
}

/**
 * Removes what differs between two reads of the same data: the times of built-in variables, and the
 * status of a conversation's last run, whose row can be damaged.
 */
function comparable(text: string): string {
  return text.replaceAll(
    /"(?:created|updated|lastVisited)":\d+,?|"head_status":(?:"\w+"|null),?/g,
    "",
  );
}

/** Whether a list shows only entries of the good list, and an event stream only its first events. */
function isPartOf(text: string, good: string): boolean {
  if (!text.startsWith('{"object":"list"')) return good.startsWith(text);
  const dataOf = (list: string) => (JSON.parse(list) as { readonly data: readonly unknown[] }).data;
  const known = new Set(dataOf(good).map((entry) => JSON.stringify(entry)));
  return dataOf(text).every((entry) => known.has(JSON.stringify(entry)));
}

/** The part of a text that differs from the expected text. */
function difference(text: string, good: string): string {
  let from = 0;
  while (from < text.length && text[from] === good[from]) from += 1;
  from = Math.max(0, from - 60);
  return `${text.slice(from, from + 200)} instead of ${good.slice(from, from + 200)}`;
}

interface Entry {
  readonly id: string;
  readonly object: string;
  readonly status?: string;
  readonly head_status?: string;
  readonly corrupt?: boolean;
  readonly error?: { readonly code: string } | null;
}

async function tryOne({
  combination,
  random,
  report,
  folder,
  content,
  keys,
  entries,
}: {
  readonly combination: Combination;
  readonly random: Random;
  readonly report: Report;
  readonly folder: ServerFolder;
  readonly content: string | undefined;
  readonly keys: string | undefined;
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
  const hasOtherKeys = chosen !== "input" && keysOf(folder.data) !== keys;
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
    // A damaged log may leave the state before its last commits.
    for (const [path, good] of chosen === "log" ? [] : entries) {
      if (!path.startsWith("/")) continue;
      const answer = await read(victim, path);
      const text = comparable(answer.text);
      report.count("entries read");
      const isReported = /damaged|database_corrupt/.test(text);
      const isLost = hasOtherKeys && (answer.status === 404 || isPartOf(text, good));
      if (text !== good && !isReported && !isLost)
        report.problem(
          `${what}: ${path} is ${answer.status} ${difference(text, good)} (db check: ${problems.join(" ").slice(0, 500)}; the server logged: ${victim.output().slice(-1_000)})`,
        );
    }
    if (!victim.isAlive()) report.problem(`${what}: the server ended: ${victim.output()}`);
  } catch (thrown) {
    const { message } = thrown as Error;
    const isExplained = /restore a backup|db check/i.test(message);
    if (isReadable || !isExplained) report.problem(`${what}: ${message.slice(0, 1_000)}`);
    else report.count("refused starts");
  }
}
