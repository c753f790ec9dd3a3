import type { Proof } from "./proof.ts";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { databaseRestarted } from "./proofs/database-restarted.ts";
import { deliveredTwice } from "./proofs/delivered-twice.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { suspended } from "./proofs/suspended.ts";
import { queueLost } from "./proofs/queue-lost.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { retried } from "./proofs/retried.ts";
import { clientTimeouts } from "./proofs/client-timeouts.ts";
import { repeatedCalls } from "./proofs/repeated-calls.ts";
import { stopped } from "./proofs/stopped.ts";
import { twoNodes } from "./proofs/two-nodes.ts";

/** All proofs, in the order of the table. */
export const proofs: readonly Proof[] = [
  killed,
  stopped,
  twoNodes,
  reconnecting,
  retried,
  repeatedCalls,
  clientTimeouts,
  suspended,
  deliveredTwice,
  databaseRestarted,
  queueLost,
  diskFull,
  clockSetBack,
];
