import { setFlagsFromString } from "node:v8";

/**
 * From now on V8 makes every object in the young generation, for the whole process. Of what often
 * survives it would make the next ones in the old generation at once, where they stay, with all that
 * they refer to, until the next full collection: of a run all of that lives as long as the run, and
 * is garbage a moment later.
 *
 * @example
 * switchOffPretenuring(); // before a server's first run
 */
export function switchOffPretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
