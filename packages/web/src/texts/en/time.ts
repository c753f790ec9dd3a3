import { formatDecimal } from "../numbers/count.ts";

/** Durations and ages. */
export const time = {
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: number) => `${formatDecimal(count)} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
  now: "now",
  minutesAgo: (count: number) => `${count} min`,
  hoursAgo: (count: number) => `${count} h`,
} as const;
