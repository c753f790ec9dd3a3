import { test } from "node:test";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { databaseRestarted } from "./proofs/database-restarted.ts";
import { deliveredTwice } from "./proofs/delivered-twice.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { suspended } from "./proofs/suspended.ts";
import { queueLost } from "./proofs/queue-lost.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { repeatedCalls } from "./proofs/repeated-calls.ts";
import { retried } from "./proofs/retried.ts";
import { stopped } from "./proofs/stopped.ts";
import { twoNodes } from "./proofs/two-nodes.ts";
import { provingOn } from "./proving-tests.ts";

const prove = provingOn("PostgreSQL and Redis");

test(
  "after repeated kills at random moments, started runs continue and no call runs twice",
  prove(killed),
);
test(
  "a node that is paused for longer than its lease writes nothing after it resumes",
  prove(stopped),
);
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
// Contract: breaking-delivered-twice
test("a job that is delivered again at any time starts no run twice", prove(deliveredTwice));
test(
  "a database that restarts repeatedly during work loses no confirmed data",
  prove(databaseRestarted),
);
// Contract: breaking-queue-lost
test("a Redis that is killed or emptied repeatedly loses no run", prove(queueLost));
test("a disk that is full repeatedly loses no confirmed data", prove(diskFull));
test("all promises hold while the clock is set back and forth", prove(clockSetBack));
