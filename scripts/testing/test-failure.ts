import type { EventData } from "node:test";

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
