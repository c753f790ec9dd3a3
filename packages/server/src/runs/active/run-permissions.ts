import { type Grant, GrantBook, type PolicyRule } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type {
  CreationCursor,
  GrantRecord,
  OutcomeOf,
  RunRecord,
  Store,
  StoreWrite,
} from "@capstan/store";
import type { ActiveRun } from "./active-run.ts";
import { grantId } from "./run-stores.ts";

/** Reads a user's grants and denials, for this session and for all sessions, from every store. */
export async function readGrants(
  stores: readonly Store[],
  owner: string,
  sessionId: string,
): Promise<GrantBook> {
  const grants = new GrantBook();
  const all = [...new Set(stores)].map((store) => store.readGrants({ owner, sessionId }));
  for (const grant of (await Promise.all(all)).flat()) grants.add(grant);
  return grants;
}

/** All grants of a user, of every session. */
async function listGrants(
  stores: readonly Store[],
  owner: string,
): Promise<readonly GrantRecord[]> {
  const records: GrantRecord[] = [];
  for (const store of new Set(stores)) {
    let after: CreationCursor | undefined;
    do {
      const more = after === undefined ? {} : { after };
      const page = await store.listGrants({ owner, limit: 1_000, ...more });
      records.push(...page.data.flatMap((record) => ("isCorrupt" in record ? [] : [record])));
      const last = page.data.at(-1);
      const cursor = last && { createdSeq: last.createdSeq, id: grantId(last) };
      after = page.hasMore ? cursor : undefined;
    } while (after !== undefined);
  }
  return records;
}

interface RunGrantsOptions {
  /** Number of changes of grants in this process. */
  readonly runs: () => Iterable<ActiveRun>;
  readonly stores: readonly Store[];
  readonly log: (line: string) => void;
}

/** The grants of active runs. A change at any node applies to all of them immediately. */
export class RunGrants {
  readonly #options: RunGrantsOptions;
  /** Counts possible changes of grants: a read that started before the last change is stale. */
  #changes = 0;

  constructor(options: RunGrantsOptions) {
    this.#options = options;
  }

  /**
   * Returns the number of changes so far. A read from the store that started before a later change
   * may lack it.
   */
  get changes(): number {
    return this.#changes;
  }

  /** Adds a new grant to its run, and to the other active runs that it covers. */
  share(run: RunRecord, grant: Grant): void {
    this.#changes += 1;
    for (const { session } of this.#of(run.owner)) {
      const isOwn = session.run.id === run.id;
      const isMeant = grant.scope === "always" || session.run.sessionId === run.sessionId;
      // A read that started later may already have added the grant.
      if (
        (isOwn || (isMeant && grant.verdict === "allow")) &&
        !session.grants.list().includes(grant)
      )
        session.grants.add(grant);
    }
  }

  /** Revokes a grant in the active runs. */
  revoke(sessionId: string | null, grantId: string): void {
    this.#changes += 1;
    for (const { session } of this.#options.runs())
      if (sessionId === null || session?.run.sessionId === sessionId)
        session?.grants.revoke(grantId);
  }

  /** Reloads the grants of a user's active runs, because another node may have changed them. */
  async refresh(owner: string): Promise<void> {
    const { stores, log } = this.#options;
    this.#changes += 1;
    try {
      while (this.#of(owner).length > 0) {
        const changes = this.#changes;
        const records = await listGrants(stores, owner);
        // The read is stale: it may include revoked grants, or lack newer ones.
        if (changes !== this.#changes) continue;
        for (const { session } of this.#of(owner)) replaceGrants(session, records);
        return;
      }
    } catch (thrown) {
      log(`Cannot read the grants of ${owner}: ${errorMessage(thrown)}`);
    }
  }

  #of(owner: string) {
    return [...this.#options.runs()].flatMap((run) =>
      run.owner === owner && run.session !== undefined ? [{ session: run.session }] : [],
    );
  }
}

/** Replaces a run's grants with those of its session. */
function replaceGrants(
  { run, grants }: { readonly run: RunRecord; readonly grants: GrantBook },
  records: readonly GrantRecord[],
): void {
  const meant = records.filter(({ sessionId }) => (sessionId ?? run.sessionId) === run.sessionId);
  const now = new Map(meant.map(({ grant }) => [grant.id, grant]));
  for (const { id } of grants.list()) if (!now.delete(id)) grants.revoke(id);
  for (const grant of now.values()) grants.add(grant);
}

type Change = Extract<StoreWrite, { type: "change-override" | "reset-override" }>;

/** Caches each user's current rules. Active runs apply a change immediately. */
export class Overrides {
  readonly #store: Store;
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  /** For each user, the number of reads of their rules, and the newest read that has returned. */
  readonly #reads = new Map<string, { begun: number; newest: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Reads a user's rules if they are not cached. The returned function returns the current rules.
   */
  async of(owner: string): Promise<() => readonly PolicyRule[]> {
    if (!this.#rules.has(owner)) await this.#read(owner);
    return () => this.#rules.get(owner) ?? [];
  }

  /** The users whose rules are cached. */
  owners(): readonly string[] {
    return [...this.#reads.keys()];
  }

  /** Reloads a user's rules if they are cached, because another node may have changed them. */
  async refresh(owner: string): Promise<void> {
    if (this.#reads.has(owner)) await this.#read(owner);
  }

  async write(change: Change): Promise<OutcomeOf<Change>> {
    const [outcome] = await this.#store.write([change]);
    await this.#read(change.owner);
    return outcome;
  }

  async #read(owner: string): Promise<void> {
    const reads = this.#reads.get(owner) ?? { begun: 0, newest: 0 };
    this.#reads.set(owner, reads);
    const mine = (reads.begun += 1);
    const overrides = await this.#store.listOverrides({ owner });
    // A read that started earlier and returns later may lack the last change.
    if (mine < reads.newest) return;
    reads.newest = mine;
    this.#rules.set(
      owner,
      overrides.map(({ rule }) => rule),
    );
  }
}
