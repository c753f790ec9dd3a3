import type { Bench } from "../bench.ts";
import { measureByTurns } from "../part.ts";

export const gateway: Bench = {
  name: "gateway",
  description:
    "Calls of an MCP server's tool: direct, through Capstan, and through another proxy; lists and searches at 1,000 tools; an OpenAPI document of 1,000 operations",
  run: ({ repetitions, signal }) =>
    measureByTurns(
      [
        { script: "gateway/calls.ts", repetitions: repetitions ?? 3 },
        { script: "gateway/many-tools.ts", repetitions: repetitions ?? 30 },
        { script: "toolkit/measure.ts", args: ["openapi"], repetitions: repetitions ?? 3 },
      ],
      { signal },
    ),
  peers: true,
};
