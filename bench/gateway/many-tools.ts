// Lists and searches at 1,000 tools: node bench/gateway/many-tools.ts REPETITIONS
import { type Figure, measuredFigure } from "../figure.ts";
import { labelledQueries } from "../search/queries.ts";
import { startProcess } from "../wire/started-process.ts";
import { connectHttp } from "./connect.ts";

const [repetitions = "1"] = process.argv.slice(2);
const capstan = await startProcess("../gateway/gateway-process.ts", ["thousand"]);
const { client } = await connectHttp(capstan.url);
const listed: number[] = [];
const searched: number[] = [];
for (let n = -3; n < Number(repetitions); n++) {
  const { query = "" } = labelledQueries[(n + 3) % labelledQueries.length] ?? {};
  const before = performance.now();
  const { tools } = await client.listTools();
  const between = performance.now();
  const found = await client.callTool({ name: "SearchTools", arguments: { query } });
  const after = performance.now();
  if (!tools.some(({ name }) => name === "SearchTools") || found.isError === true)
    throw new Error(`SearchTools did not search: ${JSON.stringify(found).slice(0, 500)}`);
  // The first ones build the index, and let V8 compile the code.
  if (n < 0) continue;
  listed.push(between - before);
  searched.push(after - between);
}
await client.close();
await capstan.stop();
const label = { subject: "capstan", unit: "ms" };
const figures: readonly Figure[] = [
  measuredFigure({ ...label, case: "tools/list at 1,000 tools" }, listed),
  measuredFigure({ ...label, case: "SearchTools at 1,000 tools" }, searched),
];
process.stdout.write(JSON.stringify(figures));
process.exit();
