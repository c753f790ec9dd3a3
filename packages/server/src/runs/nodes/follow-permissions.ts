import { errorMessage } from "@capstan/core/host";
import type { Store } from "@capstan/store";
import type { ActiveRuns } from "../active/active-runs.ts";
import type { Overrides } from "../permissions/overrides.ts";

export interface FollowPermissionsOptions {
  /** The store of the grants that hold in every session, which the nodes share. */
  readonly store: Pick<Store, "nodes">;
  readonly activeRuns: ActiveRuns;
  readonly overrides: Overrides;
  readonly log: (line: string) => void;
}

/**
 * Applies grants and rules that a user changed at another node to the active runs of this one. A
 * message is only a hint: permissions are read from the store, once more if another message came.
 */
export function followPermissions({
  store,
  activeRuns,
  overrides,
  log,
}: FollowPermissionsOptions): void {
  /** Users whose permissions are being read; true if they changed in the meantime. */
  const reading = new Map<string, boolean>();

  async function read(owner: string): Promise<void> {
    await Promise.all([overrides.refresh(owner), activeRuns.refreshGrants(owner)]);
  }

  function refresh(owner: string): void {
    const isUnderWay = reading.has(owner);
    reading.set(owner, isUnderWay);
    if (isUnderWay) return;
    read(owner)
      .catch((thrown: unknown) =>
        log(`What ${owner} changed at another node cannot be read: ${errorMessage(thrown)}`),
      )
      .finally(() => {
        const again = reading.get(owner) === true;
        reading.delete(owner);
        if (again) refresh(owner);
      });
  }

  store.nodes?.subscribe((heard) => {
    if (heard.type === "permissions") heard.owners.forEach(refresh);
    if (heard.type === "missed")
      new Set([...activeRuns.owners(), ...overrides.owners()]).forEach(refresh);
  });
}
