import type { UserChangeEvent } from "@capstan/contract";

/** A committed change of a user's data. */
export interface UserChange {
  readonly owner: string;
  readonly event: UserChangeEvent;
}

/** A notification about changes of any users; `missed` if changes of other nodes may be missing. */
export type UserChanges = readonly UserChange[] | "missed";
