import { maxInstallMegabytes } from "../scripts/packing/installed-size.ts";
import type { Figure } from "./figure.ts";

/** A limit that a figure must meet on the reference machine, which has 2 cores. */
export interface Floor {
  readonly bench: string;
  readonly case: string;
  readonly subject: string;
  /** If given, the limit applies to `subject ÷ relativeTo`, measured in the same run. */
  readonly relativeTo?: string;
  readonly bound: "at most" | "at least";
  readonly limit: number;
  readonly unit: string;
}

/** The performance floors, in the order of the benches. */
export const floors: readonly Floor[] = [
  besidePi("sequential round", 1.3),
  besidePi("parallel call", 1.3),
  fasterThan("ai", "sequential round", 10),
  fasterThan("ai", "parallel call", 2),
  fasterThan("langchain", "sequential round", 100),
  fasterThan("langchain", "parallel call", 30),
  fasterThan("@openai/agents-core", "sequential round", 100),
  fasterThan("@openai/agents-core", "parallel call", 30),
  added("added to a call", 15),
  added("added to a call with a reference and an approval, 2 KB", 40),
  {
    bench: "scripts",
    case: "no-op Python function, warm",
    subject: "capstan",
    bound: "at most",
    limit: 5,
    unit: "ms",
  },
  runsPerSecond("sqlite", 300),
  runsPerSecond("postgres", 250),
  runsPerSecond("queue", 120),
  delta("p50", 5),
  delta("p99", 25),
  delta("longest event-loop gap", 50),
  {
    bench: "runs",
    case: "takeover of 20 runs after a node is killed",
    subject: "postgres",
    bound: "at most",
    limit: 3,
    unit: "s",
  },
  ...["npm start", "packed capstan"].flatMap((subject) => [
    ofStart("start until /healthz answers", subject, 1, "s"),
    ofStart("idle memory", subject, 150, "MB"),
  ]),
  ofStart("install size", "packed capstan", maxInstallMegabytes, "MB"),
  ...["responses, store: false", "chat completions"].flatMap((subject) => [
    ofWire("first event, added", subject, 3, "ms"),
    ofWire("delta, processor time above the proxy", subject, 100, "µs"),
    ofWire("delta, added, p50", subject, 1, "ms"),
    ofWire("500 streams: longest event-loop gap", subject, 100, "ms"),
  ]),
  ofWire("delta, added, p50", "responses", 25, "ms"),
  ofWire("500 streams: longest event-loop gap", "responses", 100, "ms"),
  { ...ofWire("smallest answers", "responses", 500, "requests/s"), bound: "at least" },
  { ...ofWire("smallest answers", "chat completions", 800, "requests/s"), bound: "at least" },
  ofTool("bar chart of 24 values", 300),
  ofTool("line chart of 1,000 points", 300),
  ofTool("edit of 5 MB", 100),
  ofTool("PDF of 100 pages to Markdown", 3_000),
  ofTool("index 20,000 documents", 60, "s"),
  ofTool("index 20,000 documents: most memory", 500, "MB"),
  ofTool("hybrid search: p50", 20),
  ofTool("OpenAPI document of 1,000 operations", 1_000),
  ofTool("OpenAPI document of 1,000 operations: memory", 300, "MB"),
  {
    bench: "search",
    case: "all tasks: hit@5",
    subject: "capstan",
    bound: "at least",
    limit: 70,
    unit: "%",
  },
  {
    bench: "search",
    case: "a query at 1,000 tools, median",
    subject: "capstan",
    bound: "at most",
    limit: 1,
    unit: "ms",
  },
  ofGateway("a call, added", "capstan", 2),
  ofGateway("tools/list at 1,000 tools", "capstan", 50),
  ofGateway("SearchTools at 1,000 tools", "capstan", 1),
  {
    bench: "gateway",
    case: "16 calls at once",
    subject: "capstan",
    bound: "at least",
    limit: 500,
    unit: "calls/s",
  },
];

/** Returns the value to which the floor applies, or `undefined` if it was not measured. */
export function measuredValue(floor: Floor, figures: readonly Figure[]): number | undefined {
  const bestOf = (subject: string) =>
    figures.find((figure) => figure.case === floor.case && figure.subject === subject)?.best;
  const value = bestOf(floor.subject);
  if (value === undefined || floor.relativeTo === undefined) return value;
  const other = bestOf(floor.relativeTo);
  return other === undefined ? undefined : value / other;
}

export function isMet({ bound, limit }: Floor, value: number): boolean {
  return bound === "at most" ? value <= limit : value >= limit;
}

function besidePi(work: string, limit: number): Floor {
  const relativeTo = "@mariozechner/pi-agent-core";
  const [subject, bound] = ["capstan", "at most"] as const;
  return { bench: "loop", case: work, subject, relativeTo, bound, limit, unit: "×" };
}

function fasterThan(subject: string, work: string, limit: number): Floor {
  const [relativeTo, bound] = ["capstan", "at least"] as const;
  return { bench: "loop", case: work, subject, relativeTo, bound, limit, unit: "×" };
}

function added(work: string, limit: number): Floor {
  return { bench: "gate", case: work, subject: "capstan", bound: "at most", limit, unit: "µs" };
}

function runsPerSecond(subject: string, limit: number): Floor {
  const [bound, unit] = ["at least", "runs/s"] as const;
  return { bench: "runs", case: "32 runs at once", subject, bound, limit, unit };
}

function delta(what: string, limit: number): Floor {
  const work = `delta, 500 streams: ${what}`;
  return { bench: "runs", case: work, subject: "sqlite", bound: "at most", limit, unit: "ms" };
}

function ofStart(work: string, subject: string, limit: number, unit: string): Floor {
  return { bench: "start", case: work, subject, bound: "at most", limit, unit };
}

function ofWire(work: string, subject: string, limit: number, unit: string): Floor {
  return { bench: "wire", case: work, subject, bound: "at most", limit, unit };
}

function ofGateway(work: string, subject: string, limit: number): Floor {
  return { bench: "gateway", case: work, subject, bound: "at most", limit, unit: "ms" };
}

function ofTool(work: string, limit: number, unit = "ms"): Floor {
  const [subject, bound] = ["capstan", "at most"] as const;
  return { bench: "toolkit", case: work, subject, bound, limit, unit };
}
