/** Returns the time in ms, with a fraction. All processes of a machine have the same one. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
