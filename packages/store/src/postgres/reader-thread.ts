import { workerData } from "node:worker_threads";
import { answerSlowReads } from "../live/answer-slow-reads.ts";
import type { DatabaseAddress } from "./wire/address.ts";
import { postgresReads } from "./read/postgres-reads.ts";

const { snapshot, close } = postgresReads(workerData as DatabaseAddress, 1);

answerSlowReads({ snapshot, stop: close });
