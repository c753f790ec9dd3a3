import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatDecimal } from "../numbers/count.ts";

export const time: Catalogue["time"] = {
  milliseconds: (count) => `${count} 毫秒`,
  seconds: (count) => `${formatDecimal(count)} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  hours: (hours, minutes) => `${hours} 小时 ${minutes} 分`,
  now: "刚刚",
  minutesAgo: (count) => `${count} 分钟前`,
  hoursAgo: (count) => `${count} 小时前`,
};
