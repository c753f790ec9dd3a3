import type { EventData } from "node:test";
import { inspect } from "node:util";

/** False for a test or suite that failed only because one inside it did, and for a `todo`. */
export function isOwnFailure({ details, todo }: EventData.TestFail): boolean {
  const failureType = "failureType" in details.error ? details.error.failureType : undefined;
  return failureType !== "subtestsFailed" && (todo === undefined || todo === false);
}

/** The error that the test threw, which node wraps in another one. */
export function rootError({ details }: EventData.TestFail): unknown {
  const { error } = details;
  return "code" in error && error.code === "ERR_TEST_FAILURE" ? (error.cause ?? error) : error;
}

/**
 * Formats the error of a test with its causes, without Node.js's own frames. For an assertion, the
 * difference is sufficient.
 */
export function failureText(failure: EventData.TestFail): string {
  const error = rootError(failure);
  const isAssertion = error instanceof Error && "code" in error && error.code === "ERR_ASSERTION";
  const text = isAssertion ? (error.stack ?? error.message) : inspect(error);
  return text.replaceAll(/^ +at (?:.*\()?node:.*\n?/gm, "");
}
