import type { Ticket } from "./ticket.ts";

/** A sub-call as it counts in the call that made it, from the moment it is made to its end. */
export class SubCallHandle {
  readonly #parent: Ticket;
  readonly #family: {
    /** Something began to wait, or ended. */
    readonly changed: () => void;
    readonly resume: () => Promise<void> | undefined;
  };
  #status: "busy" | "waits" | "closed" = "busy";

  constructor(
    parent: Ticket,
    family: { readonly changed: () => void; readonly resume: () => Promise<void> | undefined },
  ) {
    this.#parent = parent;
    this.#family = family;
    parent.count({ open: 1, busy: 1 });
  }

  /** It waits for a person from here on. */
  wait(): void {
    if (this.#status !== "busy") return;
    this.#status = "waits";
    this.#parent.count({ open: 0, busy: -1 });
    this.#family.changed();
  }

  /**
   * It does not wait any more. What comes of it may reach the call that made it once this has
   * resolved: then that one and its ancestors hold again what they gave up.
   *
   * @returns undefined where they hold it
   */
  resume(): Promise<void> | undefined {
    if (this.#status === "waits") {
      this.#status = "busy";
      this.#parent.count({ open: 0, busy: 1 });
    }
    return this.#family.resume();
  }

  close(): void {
    if (this.#status === "closed") return;
    this.#parent.count({ open: -1, busy: this.#status === "busy" ? -1 : 0 });
    this.#status = "closed";
    this.#family.changed();
  }
}
