/**
 * The parts of the library that a worker thread needs. Importing the whole of `@capstan/core` takes
 * a thread 0.1 s and 30 MB.
 *
 * @module
 */

export { systemClock } from "./base/clock.ts";
export { CapstanError, errorMessage } from "./base/errors.ts";
export { newId } from "./base/id.ts";
export { inTurns } from "./base/in-turns.ts";
export { digest } from "./json/json-value.ts";
export { jsonChunks } from "./json/json-chunks.ts";
export { type JsonSize, measureJson } from "./json/measure-json.ts";
export { findRepeatedKey, type RepeatedKey } from "./json/repeated-key.ts";
export { type ReviewOutcome, reviewOutcomes } from "./policy/review.ts";
export { detached } from "./text/truncate.ts";
