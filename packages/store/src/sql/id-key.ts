import { createHash } from "node:crypto";

/** PostgreSQL's index entries have at most 2,704 bytes. */
const longest = 1_000;

/**
 * Returns the key under which a foreign id is indexed: the id, or its digest if it is too long for
 * an index. Models and gateways send call ids of several kilobytes. The id itself is in the row's
 * JSON.
 */
export function idKey(id: string): string {
  if (id.length <= longest && Buffer.byteLength(id) <= longest) return id;
  return `sha256:${createHash("sha256").update(id).digest("hex")}`;
}
