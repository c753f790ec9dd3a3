import type { Grant } from "../../policy/grant.ts";
import type { Variable } from "../../variables/variable.ts";
import type { ChainState } from "./chain-result.ts";
import type { CommitOutcome, Journal, JournalWrite } from "./journal.ts";
import { chainStateOf } from "./journal-state.ts";

/**
 * A journal in memory, and the pattern for one of your own: keep each commit's writes, all or
 * none, in their order. What it holds is plain JSON.
 *
 * @example
 * const journal = new MemoryJournal();
 * await runToolChain({ ...options, journal }).result;
 * journal.state(); // carries the chain on, wherever it stopped
 */
export class MemoryJournal implements Journal {
  readonly writes: JournalWrite[] = [];

  commit(writes: readonly JournalWrite[]): CommitOutcome {
    this.writes.push(...writes);
    return { status: "committed" };
  }

  state(): ChainState {
    return chainStateOf(this.writes);
  }

  /** What `VariableSystem.restore` takes. */
  variables(): readonly Variable[] {
    const kept = new Map<string, Variable>();
    for (const write of this.writes) {
      if (write.type !== "variable") continue;
      const { change } = write;
      const name = change.type === "set" ? change.variable.name : change.name;
      kept.delete(name);
      if (change.type === "set") kept.set(name, change.variable);
    }
    return [...kept.values()];
  }

  grants(): readonly Grant[] {
    return this.writes.flatMap((write) => (write.type === "grant" ? [write.grant] : []));
  }
}
