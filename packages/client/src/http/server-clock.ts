/** Smaller differences are those of the `Date` header, which has whole seconds, and of the network. */
const smallestDifferenceMs = 2_500;

/** How far this machine's clock is from the server's. */
export class ServerClock {
  #offsetMs = 0;

  /** Notes the `Date` of an answer. */
  note(header: string | null): void {
    const server = header === null ? Number.NaN : Date.parse(header);
    if (Number.isNaN(server)) return;
    const difference = Date.now() - server;
    this.#offsetMs = Math.abs(difference) > smallestDifferenceMs ? difference : 0;
  }

  /** The server's time, in milliseconds since 1970. */
  now(): number {
    return Date.now() - this.#offsetMs;
  }
}
