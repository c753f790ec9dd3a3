import type { Bench } from "../bench.ts";
import { measurePart } from "../part.ts";
import { countTable } from "../report.ts";

export const search: Bench = {
  name: "search",
  description:
    "Finding tools by a task: 167 labelled tasks in English, German, Chinese and Japanese over the built-in tools, three MCP servers and an API's operations; and the time of a query at 1,000 tools",
  run: ({ repetitions, signal }) =>
    measurePart({ script: "search/measure.ts", repetitions: repetitions ?? 10 }, { signal }),
  table: countTable,
  peers: true,
};
