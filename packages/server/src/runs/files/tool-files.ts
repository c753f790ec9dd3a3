import type { StoreFile } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { FileQuota, RunRecord, Store } from "@capstan/store";
import type { ServerLimits } from "../request/run-limits.ts";
import { fileType, safeFileName } from "./file-name.ts";

type QuotaLimits = Pick<
  ServerLimits,
  "filesOfOne" | "fileBytesOfOne" | "filesOfAll" | "fileBytesOfAll"
>;

/** Returns the quota of each user, and of all users together. */
export function quotaOf({
  filesOfOne,
  fileBytesOfOne,
  filesOfAll: files,
  fileBytesOfAll: bytes,
}: QuotaLimits): FileQuota {
  // Sums over all files take time, so an installation without these limits does not compute them.
  const isLimited = Number.isFinite(files) || Number.isFinite(bytes);
  return {
    files: filesOfOne,
    bytes: fileBytesOfOne,
    ...(isLimited && { total: { files, bytes } }),
  };
}

/** The purpose of files that tools return. */
const toolPurpose = "assistants_output";

interface ToolFileOptions {
  readonly store: Pick<Store, "receiveBlob" | "writeWithBlob">;
  readonly run: Pick<RunRecord, "id" | "owner">;
  readonly limits: Pick<ServerLimits, "fileBytes"> & QuotaLimits;
  /**
   * Called with the store's error. The model and the client do not get it, because it can name
   * hosts and accounts.
   */
  readonly log: (line: string) => void;
}

/**
 * Returns a function that stores the files which a run's tools return. They belong to the run's
 * owner, and are deleted with the run. Do not use it for runs in memory: their results contain the
 * bytes, and nothing is written to disk.
 */
export function toolFileStorage({ store, run, limits, log }: ToolFileOptions): StoreFile {
  const storeOne: StoreFile = async ({ id, name, mimeType, data }) => {
    const bytes = Buffer.from(data, "base64");
    if (bytes.length === 0)
      return { status: "refused", reason: "its data is empty or is not Base64" };
    if (bytes.length > limits.fileBytes)
      return {
        status: "refused",
        reason: `it has ${bytes.length} bytes, and at most ${limits.fileBytes} are allowed (limits.fileBytes)`,
      };
    const type = fileType(mimeType, name);
    const blob = await store.receiveBlob(inOnePiece(bytes));
    try {
      const { sha256, size } = blob;
      const outcome = await store.writeWithBlob(blob, {
        type: "create-file",
        file: {
          id,
          owner: run.owner,
          name: safeFileName(name, type),
          mimeType: type,
          purpose: toolPurpose,
          source: "tool",
          runId: run.id,
        },
        blob: { sha256, size },
        quota: quotaOf(limits),
      });
      return outcome.status === "refused" ? outcome : { status: "stored", sha256, size };
    } finally {
      await blob.discard();
    }
  };
  return async (file) => {
    try {
      return await storeOne(file);
    } catch (thrown) {
      log(`Run ${run.id}: ${file.id} could not be stored: ${errorMessage(thrown)}`);
      throw thrown;
    }
  };
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
