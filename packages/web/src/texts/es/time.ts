import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatDecimal } from "../numbers/count.ts";

export const time: Catalogue["time"] = {
  milliseconds: (count) => `${count} ms`,
  seconds: (count) => `${formatDecimal(count)} s`,
  minutes: (minutes, seconds) => `${minutes} min ${seconds} s`,
  hours: (hours, minutes) => `${hours} h ${minutes} min`,
  now: "ahora",
  minutesAgo: (count) => `${count} min`,
  hoursAgo: (count) => `${count} h`,
};
