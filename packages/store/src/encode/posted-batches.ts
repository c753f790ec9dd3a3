import type { WriteResult } from "../records/write-results.ts";
import type { EncodedRequest } from "./encoded-journal.ts";
import { unpackWrite } from "./pack-journal.ts";
import type { PostedRequest } from "./post-request.ts";

/** What a writer's thread is handed at once. */
export type PostedBatch = readonly PostedRequest[];

/** The calls of batches that came one after the other. */
export function receiveBatches(batches: readonly PostedBatch[]): EncodedRequest[] {
  return batches
    .flat()
    .map(({ writes, ...request }) => ({ ...request, writes: writes.map(unpackWrite) }));
}

/** @returns the results of each batch, as JSON */
export function postResults(
  batches: readonly PostedBatch[],
  results: readonly WriteResult[],
): readonly string[] {
  let next = 0;
  return batches.map(({ length }) => JSON.stringify(results.slice(next, (next += length))));
}

export function receiveResults(json: string): readonly WriteResult[] {
  return JSON.parse(json) as WriteResult[];
}
