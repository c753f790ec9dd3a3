import type { ChainResultRecord } from "@capstan/core/host";
import { inlineLength } from "./split-inputs.ts";

/** The texts of a result, which may be long: only who continues the run reads them. */
export type ResultReplay = Pick<ChainResultRecord, "answer" | "log">;

export interface EncodedResult {
  readonly result: string;
  /** A `ResultReplay`, if it is long; otherwise `result` has it. */
  readonly replay?: string;
}

export function encodeResult(given: ChainResultRecord): EncodedResult {
  const { answer, log, ...rest } = given;
  if (answer.length + (log?.replay.length ?? 0) < inlineLength)
    return { result: JSON.stringify(given) };
  const replay: ResultReplay = { answer, ...(log && { log }) };
  return { result: JSON.stringify(rest), replay: JSON.stringify(replay) };
}
