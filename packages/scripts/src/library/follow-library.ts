import type { ToolExecutor, ToolGroup } from "@capstan/core";

/** What comes and goes while a server runs. */
export interface ChangingGroups {
  readonly groups: readonly ToolGroup[];
  subscribe(listener: () => void): () => void;
}

/**
 * Keeps an executor's groups as a library has them: registers what comes, takes away what goes, for
 * as long as the executor is in use. Calls under way end as they would.
 *
 * @param options.isOn whether a group that comes is on
 * @returns what ends it
 */
export function followLibrary(
  library: ChangingGroups,
  executor: ToolExecutor,
  options: { readonly isOn: (group: string) => boolean },
): () => void {
  let registered = new Map<string, ToolGroup>();
  const follow = (to: ToolExecutor) => {
    const wanted = new Map(library.groups.map((group) => [group.name, group]));
    for (const [name, group] of registered)
      if (wanted.get(name) !== group) to.unregisterToolGroup(name);
    for (const [name, group] of wanted) {
      if (registered.get(name) === group) continue;
      to.registerToolGroup(group);
      // A group that was there before is as it was switched last.
      if (!registered.has(name)) to.toggleGroupEnabled(name, options.isOn(name));
    }
    registered = wanted;
  };
  follow(executor);
  // Sessions are not told when they are over: the library must not be what keeps them.
  const kept = new WeakRef(executor);
  const end = library.subscribe(() => {
    const present = kept.deref();
    if (present === undefined) end();
    else follow(present);
  });
  return end;
}
