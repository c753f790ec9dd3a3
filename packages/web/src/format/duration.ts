/**
 * Formats milliseconds for users.
 *
 * @example formatDuration(40) // "40 ms"; 1234 → "1.2 s"; 75_000 → "1 min 15 s"
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Formats a running time without milliseconds, so that it does not flicker. */
export function formatElapsed(ms: number): string {
  return ms < 59_950 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : formatDuration(ms);
}

/** Formats the time of day in the user's locale. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" });
}

/** Formats how long ago a time was, roughly: `now`, `5 min`, `3 h`, then the date. */
export function formatAge(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}
