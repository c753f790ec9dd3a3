// Measures the server between a client and a model: node bench/wire/measure.ts REPETITIONS
import { type Figure, measuredFigure, median, mergeTurns } from "../figure.ts";
import { ask, type Route } from "./client.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const [repetitions = "1"] = process.argv.slice(2);
const aboveProxy = "delta, processor time above the proxy";

interface Subject extends Route {
  readonly server: StartedProcess;
}

const upstream = await startProcess("upstream-process.ts");
const proxy = await startProcess("proxy-process.ts", [upstream.url]);
const capstan = await startProcess("capstan-process.ts", [upstream.url]);

const direct: Subject = {
  subject: "none",
  server: upstream,
  url: upstream.url,
  api: "chat/completions",
};
const bareProxy: Subject = { ...direct, subject: "bare proxy", server: proxy, url: proxy.url };
const ours = { server: capstan, url: capstan.url, prefix: "custom/" } as const;
const unstored: Subject = {
  ...ours,
  subject: "responses, store: false",
  api: "responses",
  store: false,
};
const stored: Subject = { ...ours, subject: "responses", api: "responses" };
const completions: Subject = { ...ours, subject: "chat completions", api: "chat/completions" };
const between = [bareProxy, unstored, stored, completions];

/** Requests one after another, by turns: the time to the first event. */
async function firstEvents(): Promise<readonly Figure[]> {
  const turns = 60;
  const times = new Map([direct, ...between].map((subject) => [subject, [] as number[]]));
  for (let turn = 0; turn < turns; turn++)
    for (const [subject, values] of times)
      values.push((await ask(subject, { deltas: 3, everyMs: 2, stream: true })).firstMs);
  const least = median(times.get(direct) ?? []);
  return between.map((subject) =>
    figureOf("first event, added", subject, "ms", median(times.get(subject) ?? []) - least),
  );
}

/** Several streams at once, with a model that writes 50 deltas a second. */
async function deltas(): Promise<readonly Figure[]> {
  const measured = new Map<Subject, { readonly latencyMs: number; readonly costUs: number }>();
  for (const subject of [direct, ...between]) {
    await subject.server.usage();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(subject, { deltas: 100, everyMs: 20, stream: true })),
    );
    const { processorUs } = await subject.server.usage();
    const latencies = answers.flatMap((answer) => answer.latencies);
    measured.set(subject, {
      latencyMs: median(latencies),
      costUs: processorUs / latencies.length,
    });
  }
  const latencyOf = (subject: Subject) => measured.get(subject)?.latencyMs ?? 0;
  const costOf = (subject: Subject) => measured.get(subject)?.costUs ?? 0;
  const added = between.map((subject) =>
    figureOf("delta, added, p50", subject, "ms", latencyOf(subject) - latencyOf(direct)),
  );
  const costs = between.map((subject) =>
    figureOf("delta, processor time", subject, "µs", costOf(subject)),
  );
  const above = between
    .filter((subject) => subject !== bareProxy)
    .map((subject) => figureOf(aboveProxy, subject, "µs", costOf(subject) - costOf(bareProxy)));
  return [...added, ...costs, ...above];
}

/** 500 streams at once, with a model that writes 10 deltas a second. */
async function manyStreams(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const subject of between) {
    await subject.server.usage();
    await Promise.all(
      Array.from({ length: 500 }, () => ask(subject, { deltas: 30, everyMs: 100, stream: true })),
    );
    const { gapMs } = await subject.server.usage();
    figures.push(figureOf("500 streams: longest event-loop gap", subject, "ms", gapMs));
  }
  return figures;
}

/** The smallest whole answers, 16 requests at once. */
async function requests(): Promise<readonly Figure[]> {
  const [lanes, each] = [16, 25];
  const figures: Figure[] = [];
  for (const subject of [unstored, stored, completions]) {
    const started = performance.now();
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let n = 0; n < each; n++) await ask(subject, { deltas: 1, everyMs: 0, stream: false });
      }),
    );
    const seconds = (performance.now() - started) / 1_000;
    figures.push(figureOf("smallest answers", subject, "requests/s", (lanes * each) / seconds));
  }
  return figures;
}

function figureOf(work: string, { subject }: Subject, unit: string, value: number): Figure {
  return measuredFigure({ case: work, subject, unit }, [value]);
}

// Loads the provider's package, and lets V8 compile the code.
for (let n = 0; n < 2; n++) await deltas();
const turns: (readonly Figure[])[] = [];
for (let turn = 0; turn < Number(repetitions); turn++)
  for (const measure of [firstEvents, deltas, requests, manyStreams]) turns.push(await measure());
await Promise.all([capstan, proxy, upstream].map((server) => server.stop()));
process.stdout.write(JSON.stringify(mergeTurns(turns)));
process.exit();
