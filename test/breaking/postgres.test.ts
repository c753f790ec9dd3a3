import { test } from "node:test";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { databaseRestarted } from "./proofs/database-restarted.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { suspended } from "./proofs/suspended.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
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
  "two nodes at one run, answered and stopped at both at once, keep to the first word",
  prove(twoNodes),
);
test("a client that reconnects at every event is told each once, in order", prove(reconnecting));
test(
  "a client that retries until it has an answer starts one run, however often nodes are killed",
  prove(retried),
);
test(
  "runs that were suspended while all servers were down end after their answers",
  prove(suspended),
);
// Contract: breaking-database-restarted
test(
  "a database that is restarted in mid-work again and again loses nothing that was told",
  prove(databaseRestarted),
);
test("a disk that is full again and again loses nothing that was told", prove(diskFull));
test("all promises hold while the clock is set back and forth", prove(clockSetBack));
