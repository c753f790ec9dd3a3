import { test } from "node:test";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { databaseRestarted } from "./proofs/database-restarted.ts";
import { deliveredTwice } from "./proofs/delivered-twice.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { parked } from "./proofs/parked.ts";
import { queueLost } from "./proofs/queue-lost.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { retried } from "./proofs/retried.ts";
import { stopped } from "./proofs/stopped.ts";
import { twoNodes } from "./proofs/two-nodes.ts";
import { provingOn } from "./proving-tests.ts";

const prove = provingOn("PostgreSQL and Redis");

test(
  "killed again and again at random moments, what was begun goes on, and nothing is done twice",
  prove(killed),
);
test(
  "a node that stands still for longer than its lease writes nothing when it goes on",
  prove(stopped),
);
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
  "runs that were parked while all servers were gone are finished once they are answered",
  prove(parked),
);
// Contract: breaking-delivered-twice
test(
  "a job that is delivered again, at whatever time, begins nothing twice",
  prove(deliveredTwice),
);
test(
  "a database that is restarted in mid-work again and again loses nothing that was told",
  prove(databaseRestarted),
);
// Contract: breaking-queue-lost
test("a Redis that is killed or emptied again and again loses no run", prove(queueLost));
test("a disk that is full again and again loses nothing that was told", prove(diskFull));
test("a clock that is set back and forth changes nothing of what is promised", prove(clockSetBack));
