import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Returns a new secret of 256 random bits, as 43 characters that are valid in addresses. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Returns the SHA-256 of a token, as hex characters. The server stores it in place of the token, so
 * that a reader of the stored data cannot use the token.
 */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares two hashes in constant time. */
export function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
