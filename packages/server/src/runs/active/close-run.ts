import { CapstanError, type ChainError, type ChainStats, type Clock } from "@capstan/core";
import { type ChainResultRecord, errorMessage, noUsage } from "@capstan/core/host";
import { isClosing, type RunJournalWrite, type RunRecord, type Store } from "@capstan/store";

/** A run that this process has claimed. */
export interface OwnedRun {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number;
}

/** How a run is closed. */
export type RunEnding =
  /** Ends the run from the state in its rows. */
  | { readonly why: ChainError; readonly notices?: readonly RunJournalWrite[] }
  /** Ends the run without reading its rows. The text is shown to users. */
  | { readonly unread: string };

/** Number of tries to read a run's rows. After that the run is closed without reading them. */
const readTries = 2;

/** Error codes for corrupt rows. After other errors the rows may be readable later. */
const corruptCodes: ReadonlySet<string> = new Set(["store_failed", "database_corrupt"]);

export function isCorrupt(thrown: unknown): boolean {
  return CapstanError.isInstance(thrown) && corruptCodes.has(thrown.code);
}

/**
 * Tries once to end a claimed run.
 *
 * @param given.end ends it in the state that its rows have
 * @param given.tries how many tries were made before this one
 * @returns whether nothing is left to close: it has ended, or has another owner by now
 */
export async function closeRun(given: {
  readonly store: Store;
  readonly run: OwnedRun;
  readonly ending: RunEnding;
  readonly tries: number;
  readonly end: (ending: Extract<RunEnding, { why: unknown }>) => Promise<void>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}): Promise<boolean> {
  const { store, run, ending, tries, clock, log } = given;
  let unread = "unread" in ending ? ending.unread : undefined;
  if ("why" in ending) {
    try {
      if (!(await isUnclosed(store, run))) return true;
      await given.end(ending);
      return !(await isUnclosed(store, run));
    } catch (thrown) {
      log(closeFailureMessage(run, thrown));
      if (tries < readTries) return false;
      unread = `The stored steps of this run cannot be read, so it was closed: ${errorMessage(thrown)} Send the request again; "capstan db check" looks for corrupt data.`;
    }
  }
  try {
    const hasVariables = await closeUnread(store, run, unreadEnd(unread ?? "", clock.now()));
    const rest = hasVariables ? "" : " Its variables have their initial values.";
    log(`Run ${run.id} was closed without reading its stored steps.${rest}`);
    return true;
  } catch (thrown) {
    log(closeFailureMessage(run, thrown));
    return false;
  }
}

/** Whether this process still has to close the run: it is in progress, in this epoch. */
export async function isUnclosed(store: Store, { owner, id, epoch }: OwnedRun): Promise<boolean> {
  try {
    const now = await store.getRun({ owner, id });
    return (
      now !== undefined &&
      !isClosing(now.status) &&
      now.epoch === epoch &&
      now.status === "in_progress"
    );
  } catch (thrown) {
    // If the row is corrupt, assume that the run is unclosed: the claim and the write of the end
    // check the epoch.
    if (isCorrupt(thrown)) return true;
    throw thrown;
  }
}

export function closeFailureMessage({ id }: OwnedRun, thrown: unknown): string {
  return `Run ${id} could not be closed: ${errorMessage(thrown)}`;
}

/**
 * Closes a run without reading its rows, so that one corrupt row does not make servers claim it forever.
 *
 * @returns false if it reset the run's variables, because they cannot be read
 */
async function closeUnread(
  store: Store,
  run: OwnedRun,
  writes: readonly RunJournalWrite[],
): Promise<boolean> {
  const { id: runId, owner, epoch } = run;
  const end = { type: "journal", runId, epoch, writes, status: "failed" } as const;
  const resetVariables = { type: "forget-variables", runId, epoch } as const;
  const hasVariables = await canReadVariables(store, { owner, id: runId });
  await store.write(hasVariables ? [end] : [resetVariables, end]);
  return hasVariables;
}

/** Whether a run's variables can be read as it ends. True if it has none. */
async function canReadVariables(
  store: Store,
  { owner, id: runId }: Pick<RunRecord, "owner" | "id">,
): Promise<boolean> {
  try {
    await store.readManifest({ owner, runId });
    return true;
  } catch (thrown) {
    return !isCorrupt(thrown);
  }
}

function unreadEnd(message: string, at: number): readonly RunJournalWrite[] {
  const error: ChainError = { code: "interrupted", message, phase: "chain" };
  const stats = emptyStats(at);
  const result: ChainResultRecord = { status: "error", answer: "", usage: noUsage, stats, error };
  return [
    { type: "event", event: { type: "run.interrupted", at, message } },
    {
      type: "event",
      event: { type: "chain.ended", at, status: "error", error, usage: noUsage, stats },
    },
    { type: "result", result },
  ];
}

/** Returns the statistics of a run without rounds and calls. `at` is in ms since the epoch. */
export function emptyStats(at: number): ChainStats {
  return {
    totalRounds: 0,
    totalCalls: 0,
    totalTime: 0,
    startTime: at,
    endTime: at,
    tokensDefinitions: 0,
    tokensArguments: 0,
    tokensShown: 0,
    tokensWithheld: 0,
  };
}
