import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatDecimal } from "../numbers/count.ts";

export const time: Catalogue["time"] = {
  milliseconds: (count) => `${count} ms`,
  seconds: (count) => `${formatDecimal(count)} s`,
  minutes: (minutes, seconds) => `${minutes} Min. ${seconds} s`,
  hours: (hours, minutes) => `${hours} Std. ${minutes} Min.`,
  now: "jetzt",
  minutesAgo: (count) => `vor ${count} Min.`,
  hoursAgo: (count) => `vor ${count} Std.`,
};
