// Calls of one tool, direct and through gateways, by turns: node bench/gateway/calls.ts REPETITIONS
import { type Figure, measuredFigure, median, mergeTurns } from "../figure.ts";
import { startProcess } from "../wire/started-process.ts";
import { connectHttp, connectProgram, type Connected } from "./connect.ts";
import { startProxy } from "./start-proxy.ts";

const [repetitions = "1"] = process.argv.slice(2);
const [calls, lanes, each] = [200, 16, 25] as const;

const capstan = await startProcess("../gateway/gateway-process.ts", ["everything"]);
const unstored = await startProcess("../gateway/gateway-process.ts", ["everything", "unstored"]);
const proxy = await startProxy();
const subjects: { readonly [subject: string]: Connected } = {
  direct: await connectProgram(),
  "mcp-proxy": await connectHttp(proxy.url),
  capstan: await connectHttp(`${capstan.url}/groups/acts`),
  "capstan, reads": await connectHttp(`${capstan.url}/groups/reads`),
  "capstan, not stored": await connectHttp(`${unstored.url}/groups/acts`),
};
let called = 0;

/** The median duration of a call by turns, in ms. */
async function sequential(): Promise<readonly Figure[]> {
  const times = new Map(Object.keys(subjects).map((subject) => [subject, [] as number[]]));
  for (let call = 0; call < calls; call++)
    for (const [subject, connected] of Object.entries(subjects)) {
      const started = performance.now();
      await echo(connected);
      times.get(subject)?.push(performance.now() - started);
    }
  const least = median(times.get("direct") ?? []);
  return [...times].flatMap(([subject, values]) => [
    measuredFigure({ case: "a call", subject, unit: "ms" }, [median(values)]),
    ...(subject === "direct"
      ? []
      : [measuredFigure({ case: "a call, added", subject, unit: "ms" }, [median(values) - least])]),
  ]);
}

/** Calls at the same time. */
async function concurrent(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [subject, connected] of Object.entries(subjects)) {
    const started = performance.now();
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let n = 0; n < each; n++) await echo(connected);
      }),
    );
    const seconds = (performance.now() - started) / 1_000;
    const label = { case: `${lanes} calls at once`, subject, unit: "calls/s" };
    figures.push(measuredFigure(label, [(lanes * each) / seconds]));
  }
  return figures;
}

async function echo({ client }: Connected): Promise<void> {
  const message = `message ${called++}`;
  const { content } = await client.callTool({ name: "echo", arguments: { message } });
  const text = JSON.stringify(content);
  if (!text.includes(message)) throw new Error(`The call returned ${text.slice(0, 500)}`);
}

// Lets V8 compile the code.
for (let n = 0; n < 100; n++)
  for (const connected of Object.values(subjects)) await echo(connected);
const turns: (readonly Figure[])[] = [];
for (let turn = 0; turn < Number(repetitions); turn++)
  turns.push(await sequential(), await concurrent());
await Promise.all(Object.values(subjects).map(({ client }) => client.close()));
await Promise.all([capstan.stop(), unstored.stop(), proxy.stop()]);
process.stdout.write(JSON.stringify(mergeTurns(turns)));
process.exit();
