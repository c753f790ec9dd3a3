// A process that reads tables and runs one query over them. SQLite cannot be interrupted inside a
// statement, so the process is killed at the limits of time and memory.
import { answerOf } from "./data-problem.ts";
import { type QueryJob, queryTables } from "./query-tables.ts";

process.once("message", (job) => {
  void answerOf(() => queryTables(job as QueryJob)).then((answer) =>
    process.send?.(answer, () => process.disconnect?.()),
  );
});
