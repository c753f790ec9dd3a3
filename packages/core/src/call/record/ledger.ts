import { digest } from "../../json/canonical-json.ts";
import type { CallRecord } from "./call-record.ts";

/**
 * Where the states of calls are written, each before anything follows from it: `started` before
 * the tool is touched, the end before anybody is told. A record replaces the one with its
 * `callId`. What is thrown stops the call: it is not touched, or nobody is told.
 */
export interface Ledger {
  record(call: CallRecord): void | Promise<void>;
}

/**
 * SHA-256 of a call's resolved arguments, equal for equal arguments; undefined for a call that
 * had no valid ones.
 */
export function argumentsDigest({ args, approval, edited }: CallRecord): string | undefined {
  if (approval !== undefined && edited !== true) return approval.argsDigest;
  return args === undefined ? undefined : digest(args);
}
