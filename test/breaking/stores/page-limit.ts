// Loaded into a node before its own code: if the file CAPSTAN_TEST_PAGES exists, SQLite may use no
// more pages than its number, from then on. Simulates a full disk if none can be mounted.
// oxlint-disable typescript/unbound-method -- each is called with its own `this`
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const file = process.env["CAPSTAN_TEST_PAGES"];
const limited = new WeakSet<DatabaseSync>();
const { prepare } = DatabaseSync.prototype;

if (file !== undefined)
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, text, ...rest) {
    const statement = prepare.call(this, text, ...rest);
    if (!text.startsWith("BEGIN IMMEDIATE")) return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      setLimit(this, file);
      return run();
    };
    return statement;
  };

function setLimit(database: DatabaseSync, file: string): void {
  const room = readRoom(file);
  if (limited.has(database) === (room !== undefined)) return;
  if (room === undefined) limited.delete(database);
  else limited.add(database);
  const row = prepare.call(database, "PRAGMA page_count").get() as { page_count: number };
  const most = room === undefined ? 4_294_967_294 : row.page_count + room;
  database.exec(`PRAGMA max_page_count = ${most}`);
}

function readRoom(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
