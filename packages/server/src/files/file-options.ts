import { badRequest, missingParameter, unsupportedValue, RequestError } from "../http/errors.ts";

/** The purposes of files that clients upload. */
export const purposes = [
  "assistants",
  "batch",
  "fine-tune",
  "vision",
  "user_data",
  "evals",
] as const;

/** Returns the purpose of a new file. @throws RequestError if it is missing or unknown */
export function purposeOf(given: string | undefined): string {
  if (given === undefined) throw missingParameter("purpose");
  if (!purposes.some((known) => known === given))
    throw unsupportedValue("purpose", given, purposes);
  return given;
}

const shortest = 3_600;
const longest = 2_592_000;

/**
 * Returns the lifetime of a new file, in ms.
 *
 * @param given `anchor` and `seconds` of `expires_after`; undefined if the file does not expire
 */
export function ttlOf({
  anchor,
  seconds,
}: {
  readonly anchor: string | undefined;
  readonly seconds: string | number | undefined;
}): number | undefined {
  if (anchor === undefined && seconds === undefined) return undefined;
  if (anchor === undefined) throw missingParameter("expires_after.anchor");
  if (seconds === undefined) throw missingParameter("expires_after.seconds");
  if (anchor !== "created_at")
    throw unsupportedValue("expires_after.anchor", anchor, ["created_at"]);
  const value = Number(seconds);
  if (!Number.isInteger(value) || value < shortest || value > longest)
    throw badRequest(
      "expires_after.seconds",
      `Invalid 'expires_after.seconds': expected a whole number from ${shortest} to ${longest}.`,
    );
  return value * 1_000;
}

/** Returns the error for a file that a user's quota does not allow. */
export function overQuota(reason: string): RequestError {
  return new RequestError({
    status: 413,
    code: "file_quota_exceeded",
    param: "file",
    message: `${reason} Nothing was stored.`,
  });
}
