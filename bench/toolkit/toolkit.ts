import type { Bench } from "../bench.ts";
import { measureByTurns } from "../part.ts";

export const toolkit: Bench = {
  name: "toolkit",
  description:
    "Built-in tools on large data: a chart, an edit of 5 MB, a PDF of 100 pages, a search of 20,000 documents, an OpenAPI document of 1,000 operations",
  run: ({ repetitions, signal }) =>
    measureByTurns(
      [
        { script: "toolkit/measure.ts", args: ["charts"], repetitions: repetitions ?? 30 },
        { script: "toolkit/measure.ts", args: ["edits"], repetitions: repetitions ?? 15 },
        { script: "toolkit/measure.ts", args: ["documents"], repetitions: repetitions ?? 6 },
        { script: "toolkit/search-documents.ts", repetitions: 1 },
        { script: "toolkit/measure.ts", args: ["openapi"], repetitions: repetitions ?? 5 },
      ],
      { signal },
    ),
};
