import {
  backupStore,
  checkStore,
  planStorePrune,
  type PruneReport,
  pruneStore,
  readUsage,
  type Retention,
  type RetentionHold,
  type S3Options,
  type StoreLocation,
  type StoreUsage,
  type UsageKind,
  vacuumStore,
} from "@capstan/store";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { readConfiguration } from "./shared/read-configuration.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.db;

/** Shows, prunes, checks, backs up or shrinks the store. */
export async function manageStore({ values, positionals: [action] }: Invocation): Promise<number> {
  const [to, days, megabytes] = ["to", "days", "megabytes"].map((name) => textOption(values, name));
  switch (action) {
    case "usage":
    case "prune": {
      const { dataDir, databaseUrl, fileStore: files, retention } = await readConfiguration(values);
      return manageDiskUsage({
        action,
        place: { dataDir, files, ...(databaseUrl !== undefined && { databaseUrl }) },
        retention,
        isDryRun: values["dry-run"] === true,
        ...(days !== undefined && { days }),
        ...(megabytes !== undefined && { megabytes }),
      });
    }
    case "check":
    case "backup":
    case "vacuum": {
      const { dataDir, databaseUrl, fileStore: files } = await readConfiguration(values);
      const place = { dataDir, files, ...(databaseUrl !== undefined && { databaseUrl }) };
      return maintainStore({ action, ...place, ...(to !== undefined && { to }) });
    }
    default:
      throw new CommandFailure(texts.unknownAction, 2);
  }
}

export interface DiskUsageOptions {
  readonly action: "usage" | "prune";
  readonly place: StoreLocation;
  /** The retention in the settings. */
  readonly retention: Retention;
  readonly isDryRun: boolean;
  /** The text of the flag `--days`. If it or `megabytes` is given, the settings do not apply. */
  readonly days?: string;
  readonly megabytes?: string;
  /** @default standard output */
  readonly printLine?: (line: string) => void;
}

/** Shows the disk usage, and deletes what the options select. @returns the exit code */
export async function manageDiskUsage(options: DiskUsageOptions): Promise<number> {
  const { action, place, isDryRun, printLine = print } = options;
  if (action === "usage") {
    for (const line of usageLines(await readUsage(place))) printLine(line);
    return 0;
  }
  const rules = rulesOf(options);
  if ("problem" in rules) {
    printLine(rules.problem);
    return 2;
  }
  if (isDryRun) {
    const plan = await planStorePrune(place, rules.retention);
    for (const line of pruneLines(plan, { isPlan: true })) printLine(line);
    return 0;
  }
  const pruned = await pruneStore(place, rules.retention);
  for (const line of pruneLines(pruned, { isPlan: false })) printLine(line);
  if (pruned.length > 0 && place.databaseUrl === undefined) printLine(texts.vacuumHint);
  return 0;
}

/** Returns the retention to apply: the flags replace the settings, for all users. */
function rulesOf(
  options: DiskUsageOptions,
): { readonly retention: Retention } | { readonly problem: string } {
  const typed: { [name in "days" | "megabytes"]?: number } = {};
  for (const name of ["days", "megabytes"] as const) {
    const text = options[name];
    if (text === undefined) continue;
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value <= 0)
      return { problem: texts.invalidNumber(name, text) };
    typed[name] = value;
  }
  if (Object.keys(typed).length > 0) return { retention: typed };
  if (Object.keys(options.retention).length === 0) return { problem: texts.noRules };
  return { retention: options.retention };
}

export function usageLines({ users, fileBytes }: StoreUsage): readonly string[] {
  const lines = users.flatMap((user) => [
    `${user.owner}: ${counted(user.conversations, "conversation")}, ${counted(user.runs, "run")}, ${formatMegabytes(user.bytes)}`,
    ...Object.entries<string>(texts.kinds).map(
      ([kind, name]) =>
        `  ${formatMegabytes(user.byKind[kind as UsageKind]).padStart(10)}  ${name}`,
    ),
  ]);
  if (users.length === 0) lines.push(texts.noData);
  if (fileBytes !== undefined) lines.push(texts.file(formatMegabytes(fileBytes)));
  return lines;
}

export function pruneLines(
  pruned: readonly PruneReport[],
  { isPlan }: { readonly isPlan: boolean },
): readonly string[] {
  if (pruned.length === 0) return [texts.nothingToPrune];
  return pruned.flatMap(({ owner, conversations, runs, bytes, freedBytes, held }) => {
    const freed = freedBytes === 0 ? "" : texts.freed(formatMegabytes(freedBytes));
    const kept = Object.entries(held).map(([hold, count]) =>
      texts.held(count, texts.holds[hold as RetentionHold]),
    );
    return [
      `${owner}: ${texts.pruned(`${counted(conversations, "conversation")} with ${counted(runs, "run")}`, isPlan)}, ${formatMegabytes(bytes)}${freed}`,
      ...kept,
    ];
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

export interface MaintainStoreOptions {
  readonly action: "check" | "backup" | "vacuum";
  readonly dataDir: string;
  /** The address of a PostgreSQL database, which this command cannot back up or vacuum. */
  readonly databaseUrl?: string;
  /** The bucket of the store's files. @default no bucket */
  readonly files?: S3Options | undefined;
  /** The file of a backup. */
  readonly to?: string;
  /** @default standard output */
  readonly printLine?: (line: string) => void;
}

/** Runs the `capstan db` actions and prints their results. @returns the exit code */
export async function maintainStore({
  action,
  dataDir,
  databaseUrl,
  files,
  to,
  printLine = print,
}: MaintainStoreOptions): Promise<number> {
  switch (action) {
    case "check": {
      const { runs, bytes, problems } = await checkStore({
        dataDir,
        ...(databaseUrl !== undefined && { databaseUrl }),
        files,
      });
      for (const problem of problems) printLine(problem);
      if (problems.length > 0) {
        printLine(texts.corrupt(databaseUrl === undefined ? "data directory" : "database"));
        return 1;
      }
      printLine(texts.intact(runs, formatMegabytes(bytes)));
      return 0;
    }
    case "backup": {
      if (to === undefined) {
        printLine(texts.noBackupFile);
        return 2;
      }
      const { bytes } = await backupStore(dataDir, to);
      printLine(texts.backedUp(to, formatMegabytes(bytes)));
      return 0;
    }
    case "vacuum": {
      const { before, after } = await vacuumStore(dataDir);
      printLine(texts.vacuumed(formatMegabytes(before), formatMegabytes(after)));
      return 0;
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Formats a size in MB of 1,048,576 bytes. */
function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
