// node run-in-order.ts CONCURRENCY TOTALS_FILE FILE…: runs each test file in a process of its own, in
// the order of the arguments. `node --test` would sort them.
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { run } from "node:test";
import reportFailures from "./failures-reporter.ts";
import reportTotals from "./totals-reporter.ts";

const [concurrency, totalsFile = "", ...files] = process.argv.slice(2);
const events = run({
  files: files.map((file) => resolve(file)),
  concurrency: Number(concurrency),
  isolation: "process",
  // Stops a hanging test. The limit is long enough for a slow machine.
  timeout: 180_000,
  execArgv: [`--import=${new URL("use-property-seed.ts", import.meta.url).href}`],
});
events.on("test:summary", ({ file, success }) => {
  // The summary of the whole run names no file.
  if (file === undefined && !success) process.exitCode = 1;
});
events.compose(reportFailures).pipe(process.stdout);
events.compose(reportTotals).pipe(createWriteStream(totalsFile));
