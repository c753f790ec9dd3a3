import {
  backupStore,
  checkStore,
  planStorePrune,
  type PruneReport,
  pruneStore,
  readUsage,
  type Retention,
  type RetentionHold,
  type StoreLocation,
  type StoreUsage,
  type UsageKind,
  vacuumStore,
} from "@capstan/store";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { readConfiguration } from "./shared/read-configuration.ts";

/** Shows, prunes, checks, backs up or shrinks the store. */
export async function manageStore({ values, positionals: [wish] }: Invocation): Promise<number> {
  const [to, days, megabytes] = ["to", "days", "megabytes"].map((name) => textOption(values, name));
  switch (wish) {
    case "usage":
    case "prune": {
      const { dataDir, databaseUrl, retention } = await readConfiguration(values);
      return manageDiskUsage({
        wish,
        place: { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) },
        retention,
        isDryRun: values["dry-run"] === true,
        ...(days !== undefined && { days }),
        ...(megabytes !== undefined && { megabytes }),
      });
    }
    case "check":
    case "backup":
    case "vacuum": {
      const { dataDir, databaseUrl } = await readConfiguration(values);
      const place = { dataDir, ...(databaseUrl !== undefined && { databaseUrl }) };
      return maintainStore({ wish, ...place, ...(to !== undefined && { to }) });
    }
    default:
      throw new CommandFailure(
        "db needs one of usage, prune, check, backup, vacuum. `capstan db --help` shows what there is.",
        2,
      );
  }
}

export interface DiskUsageOptions {
  readonly wish: "usage" | "prune";
  readonly place: StoreLocation;
  /** As the settings have it. */
  readonly retention: Retention;
  readonly isDryRun: boolean;
  /** As typed; one of the two takes the place of the settings. */
  readonly days?: string;
  readonly megabytes?: string;
  /** @default standard output */
  readonly say?: (line: string) => void;
}

const noRules =
  'Nothing says what to delete, so everything is kept. Name it here: --days 365, --megabytes 500; or for every hour in capstan.config.json: "retention": {"days": 365}.';

/** Shows the disk usage, and deletes what the options select. @returns the exit code */
export async function manageDiskUsage(options: DiskUsageOptions): Promise<number> {
  const { wish, place, isDryRun, say = print } = options;
  if (wish === "usage") {
    for (const line of usageLines(await readUsage(place))) say(line);
    return 0;
  }
  const rules = rulesOf(options);
  if ("problem" in rules) {
    say(rules.problem);
    return 2;
  }
  if (isDryRun) {
    const plan = await planStorePrune(place, rules.retention);
    for (const line of pruneLines(plan, "would go")) say(line);
    return 0;
  }
  const pruned = await pruneStore(place, rules.retention);
  for (const line of pruneLines(pruned, "deleted")) say(line);
  if (pruned.length > 0 && place.databaseUrl === undefined)
    say("The file keeps this space for later data; `capstan db vacuum` returns it to the disk.");
  return 0;
}

/** Flags replace the settings, for all users. */
function rulesOf(
  options: DiskUsageOptions,
): { readonly retention: Retention } | { readonly problem: string } {
  const typed: { [name in "days" | "megabytes"]?: number } = {};
  for (const name of ["days", "megabytes"] as const) {
    const text = options[name];
    if (text === undefined) continue;
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
      return { problem: `--${name}: expected a number above 0, got "${text}"` };
    typed[name] = value;
  }
  if (Object.keys(typed).length > 0) return { retention: typed };
  if (Object.keys(options.retention).length === 0) return { problem: noRules };
  return { retention: options.retention };
}

const kinds: { readonly [kind in UsageKind]: string } = {
  events: "what happened, to be followed again",
  messages: "what was said",
  calls: "calls, with their results",
  variables: "variables",
  other: "titles, grants and rules",
};

export function usageLines({ users, fileBytes }: StoreUsage): readonly string[] {
  const lines = users.flatMap((user) => [
    `${user.owner}: ${counted(user.conversations, "conversation")}, ${counted(user.runs, "run")}, ${formatMegabytes(user.bytes)}`,
    ...Object.entries(kinds).map(
      ([kind, name]) =>
        `  ${formatMegabytes(user.byKind[kind as UsageKind]).padStart(10)}  ${name}`,
    ),
  ]);
  if (users.length === 0) lines.push("Nothing is kept yet.");
  if (fileBytes !== undefined)
    lines.push(`The file has ${formatMegabytes(fileBytes)}, with its order and free room.`);
  return lines;
}

const holds: { readonly [hold in RetentionHold]: string } = {
  unfinished: "a run has not ended",
  question: "a question waits for an answer",
  unknown_outcome: "nobody has said yet what became of a call",
  unreadable: "calls of it are damaged, and cannot be read",
};

export function pruneLines(
  pruned: readonly PruneReport[],
  went: "would go" | "deleted",
): readonly string[] {
  if (pruned.length === 0) return ["Nothing is old or too much."];
  return pruned.flatMap(({ owner, conversations, runs, bytes, freedBytes, held }) => {
    const room = freedBytes === 0 ? "" : `, ${formatMegabytes(freedBytes)} of it to make room`;
    const kept = Object.entries(held).map(
      ([hold, count]) =>
        `  kept although it is due: ${count}, because ${holds[hold as RetentionHold]}`,
    );
    return [
      `${owner}: ${counted(conversations, "conversation")} with ${counted(runs, "run")} in all ${went}, ${formatMegabytes(bytes)}${room}`,
      ...kept,
    ];
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export interface MaintainStoreOptions {
  readonly wish: "check" | "backup" | "vacuum";
  readonly dataDir: string;
  /** PostgreSQL, which has no backup or vacuum here. */
  readonly databaseUrl?: string;
  /** The file of a backup. */
  readonly to?: string;
  /** @default standard output */
  readonly say?: (line: string) => void;
}

/** Runs the `capstan db` actions and prints their results. @returns the exit code */
export async function maintainStore({
  wish,
  dataDir,
  databaseUrl,
  to,
  say = print,
}: MaintainStoreOptions): Promise<number> {
  switch (wish) {
    case "check": {
      const { runs, bytes, problems } = await checkStore({
        dataDir,
        ...(databaseUrl !== undefined && { databaseUrl }),
      });
      for (const problem of problems) say(problem);
      if (problems.length > 0) {
        const copy = databaseUrl === undefined ? "folder" : "database";
        say(`Stop the server, keep a copy of the ${copy}, and go back to your last backup.`);
        return 1;
      }
      say(`Sound: ${runs} runs, ${formatMegabytes(bytes)}.`);
      return 0;
    }
    case "backup": {
      if (to === undefined) {
        say("Where to? Name a file: capstan db backup --to FILE");
        return 2;
      }
      const { bytes } = await backupStore(dataDir, to);
      say(
        `Written: ${to}, ${formatMegabytes(bytes)}. It has all that was said; keep it as you keep that.`,
      );
      return 0;
    }
    case "vacuum": {
      const { before, after } = await vacuumStore(dataDir);
      say(`From ${formatMegabytes(before)} to ${formatMegabytes(after)}.`);
      return 0;
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A size for people, in MB of 1,048,576 bytes. */
function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
