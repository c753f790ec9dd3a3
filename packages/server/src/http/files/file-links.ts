import type { Sealer } from "../sealing.ts";

/** How long a link to a file works, in ms. */
export const fileLinkMs = 24 * 60 * 60 * 1_000;

/** A link to a file that works without a key. */
export interface FileLink {
  readonly url: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
}

/** Matches the URL of a link to a file of any server, as the source of a regular expression. */
export const fileLinkUrl = String.raw`https?://[^\s()/]+/v1/files/[^\s()/?]+/download\?token=[^\s()]+`;

/** Returns the name under which the token of a file is sealed, so that it opens no other file. */
const sealedFor = (fileId: string): string => `link to ${fileId}`;

/**
 * Returns a link to a user's file. Its token is sealed with the installation's key: it names the
 * user and the expiry, and cannot be read or changed.
 *
 * @param origin the origin under which the caller reached the server
 */
export function createFileLink({
  sealer,
  origin,
  owner,
  fileId,
  now = Date.now(),
}: {
  readonly sealer: Pick<Sealer, "seal">;
  readonly origin: string;
  readonly owner: string;
  readonly fileId: string;
  readonly now?: number;
}): FileLink {
  const expiresAt = now + fileLinkMs;
  const token = sealer.seal(sealedFor(fileId), JSON.stringify({ owner, expiresAt }));
  return { url: `${origin}/v1/files/${fileId}/download?token=${token}`, expiresAt };
}

/** Returns the owner of the file that a link's token opens, or undefined if it opens none. */
export function openFileLink({
  sealer,
  fileId,
  token,
  now = Date.now(),
}: {
  readonly sealer: Pick<Sealer, "open">;
  readonly fileId: string;
  readonly token: string;
  readonly now?: number;
}): string | undefined {
  const opened = sealer.open(sealedFor(fileId), token);
  if (opened.status !== "opened") return undefined;
  const { owner, expiresAt } = JSON.parse(opened.text) as { owner: string; expiresAt: number };
  return now < expiresAt ? owner : undefined;
}
