import { test } from "node:test";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { databaseRestarted } from "./proofs/database-restarted.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { suspended } from "./proofs/suspended.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { repeatedCalls } from "./proofs/repeated-calls.ts";
import { retried } from "./proofs/retried.ts";
import { stopped } from "./proofs/stopped.ts";
import { twoNodes } from "./proofs/two-nodes.ts";
import { provingOn } from "./proving-tests.ts";

const prove = provingOn("PostgreSQL");

test(
  "after repeated kills at random moments, started runs continue and no call runs twice",
  prove(killed),
);
// Contract: breaking-stopped
test(
  "a node that is paused for longer than its lease writes nothing after it resumes",
  prove(stopped),
);
// Contract: breaking-two-nodes
test(
  "if two nodes answer or stop a run at the same time, both apply the first decision",
  prove(twoNodes),
);
test(
  "a client that reconnects at every event reads each event once, in order",
  prove(reconnecting),
);
test(
  "a client that retries until it has an answer starts one run, however often nodes are killed",
  prove(retried),
);
test(
  "a call over MCP that is repeated after a kill runs once, and the repeat gets its result",
  prove(repeatedCalls),
);
test(
  "runs that were suspended while all servers were down end after their answers",
  prove(suspended),
);
// Contract: breaking-database-restarted
test(
  "a database that restarts repeatedly during work loses no confirmed data",
  prove(databaseRestarted),
);
test("a disk that is full repeatedly loses no confirmed data", prove(diskFull));
test("all promises hold while the clock is set back and forth", prove(clockSetBack));
