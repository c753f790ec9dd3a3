import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatDecimal } from "../numbers/count.ts";

export const time: Catalogue["time"] = {
  milliseconds: (count) => `${count} ミリ秒`,
  seconds: (count) => `${formatDecimal(count)} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  hours: (hours, minutes) => `${hours} 時間 ${minutes} 分`,
  now: "たった今",
  minutesAgo: (count) => `${count} 分前`,
  hoursAgo: (count) => `${count} 時間前`,
};
