import type { Duplex } from "node:stream";
import type { MemoryBudget, Release } from "../http/memory-budget.ts";

/** The bytes of a WebSocket's frames, which wait in memory until a frame is complete. */
export interface FrameBudget {
  /** Returns a function that releases the bytes of the frame that has just arrived. */
  takeFrame(): Release;
}

/**
 * The bytes of a frame that each connection has already reserved, and the minimum size of each
 * further reservation.
 */
const stepBytes = 65_536;

/**
 * Counts the bytes of a client's frames while they arrive against the budget of its principal.
 *
 * @param onFull called when the budget is used up
 */
export function countFrames(
  socket: Duplex,
  {
    budget,
    principal,
    onFull,
  }: {
    readonly budget: Pick<MemoryBudget, "take">;
    readonly principal: string;
    readonly onFull: (error: unknown) => void;
  },
): FrameBudget {
  let releases: Release[] = [];
  let size = 0;
  let taken = stepBytes;
  const takeFrame = (): Release => {
    const taking = releases;
    releases = [];
    size = 0;
    taken = stepBytes;
    return () => taking.forEach((release) => release());
  };
  socket.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= taken) return;
    const more = Math.max(size - taken, stepBytes);
    taken += more;
    try {
      releases.push(budget.take(principal, more));
    } catch (thrown) {
      onFull(thrown);
    }
  });
  socket.once("close", () => takeFrame()());
  return { takeFrame };
}
