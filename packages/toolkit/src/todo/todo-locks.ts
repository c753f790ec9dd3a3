/** Calls that change the list run one after another, so that no two items get the same number. */
export const todoLocks = { locks: (): readonly string[] => ["todo"] };
