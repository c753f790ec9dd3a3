import type { Feed } from "../html/read-feed.ts";
import { countOf } from "../text/format-bytes.ts";

/** Returns a feed as a Markdown list. */
export function formatFeed({ description, entries, total }: Feed): string {
  const left = total - entries.length;
  return [
    ...(description === undefined ? [] : [description]),
    `A feed with ${countOf(total, "entry", "entries")}${left === 0 ? "" : `, the first ${entries.length}`}:`,
    ...entries.map(({ title, url, published, author, summary }, at) =>
      [
        `${at + 1}. ${title === "" ? (url ?? "[no title]") : title}`,
        ...(url === undefined ? [] : [url]),
        ...(published === undefined && author === undefined
          ? []
          : [[published, author].filter(Boolean).join(" · ")]),
        ...(summary === undefined ? [] : [summary]),
      ].join("\n   "),
    ),
  ].join("\n\n");
}
