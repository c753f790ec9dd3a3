import { createHmac } from "node:crypto";

/** The beginning of a secret, which is followed by its bytes in Base64. */
const secretPrefix = "whsec_";

/** A message to sign. */
interface SignedParts {
  /** Must not contain a `.`. */
  readonly id: string;
  /** In seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Returns whether a text is a secret of at least 24 bytes, as the specification requires.
 *
 * @example isSigningSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") // true
 */
export function isSigningSecret(text: string): boolean {
  const encoded = text.slice(secretPrefix.length);
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0;
  return text.startsWith(secretPrefix) && isBase64 && keyOf(text).length >= 24;
}

/**
 * Returns the headers that prove the sender and the time of a message.
 *
 * Source: the Standard Webhooks specification, https://www.standardwebhooks.com, version 1.
 *
 * @param secret as `isSigningSecret` accepts it
 */
export function signMessage(
  { id, timestamp, body }: SignedParts,
  secret: string,
): { readonly [header: string]: string } {
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature.digest("base64")}`,
  };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), "base64");
}
