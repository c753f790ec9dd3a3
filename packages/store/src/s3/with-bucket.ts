import type { Clock } from "@capstan/core";
import type { BlobStore } from "../blobs/blob-store.ts";
import { LayeredBlobs } from "../blobs/layered-blobs.ts";
import type { S3Options } from "./s3-options.ts";

/**
 * Returns blobs in the configured bucket, on top of those that the store has itself; without a
 * bucket, only the latter. The library of S3 is loaded only for a bucket.
 *
 * @throws CapstanError `s3_not_installed`
 */
export async function withBucket(
  own: BlobStore,
  files: S3Options | undefined,
  clock?: Pick<Clock, "now">,
): Promise<BlobStore> {
  if (files === undefined) return own;
  const { S3Blobs } = await import("./s3-blobs.ts");
  return new LayeredBlobs(await S3Blobs.open(files, clock), own);
}
