import { createHash } from "node:crypto";

/** PostgreSQL's indexes take entries of 2,704 bytes. */
const longest = 1_000;

/**
 * What an id that comes from outside is found by: the id, or its digest where it is too long for an
 * index. Models and gateways put kilobytes into the ids of calls. The id itself is in the row's JSON.
 */
export function idKey(id: string): string {
  if (id.length <= longest && Buffer.byteLength(id) <= longest) return id;
  return `sha256:${createHash("sha256").update(id).digest("hex")}`;
}
