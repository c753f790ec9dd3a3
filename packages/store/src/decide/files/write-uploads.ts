import { getUploadLocked, readUploadParts } from "../../read/files/read-uploads.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { UploadRecord } from "../../records/files.ts";
import type { Script } from "../../sql/script.ts";
import type { WriteContext } from "../state/write-context.ts";
import { insertFile, overQuota } from "./write-files.ts";

type CreateUpload = Extract<StoreWrite, { type: "create-upload" }>;
type AddPart = Extract<StoreWrite, { type: "add-upload-part" }>;
type EndUpload = Extract<StoreWrite, { type: "end-upload" }>;

/** The maximum number of parts of an upload. */
const maxParts = 10_000;

/** Creates an upload. */
export function createUpload(
  { changes }: WriteContext,
  { upload }: CreateUpload,
  at: number,
): OutcomeOf<CreateUpload> {
  const { id, owner, name, mimeType, bytes, purpose, fileTtlMs = null, ttlMs } = upload;
  const expiresAt = at + ttlMs;
  changes.insert("uploads", {
    id,
    owner,
    name,
    mime_type: mimeType,
    bytes,
    purpose,
    file_ms: fileTtlMs,
    status: "pending",
    created_at: at,
    expires_at: expiresAt,
  });
  return { status: "created_upload", createdAt: at, expiresAt };
}

/** Adds a part to a pending upload. */
export function* addUploadPart(
  context: WriteContext,
  { owner, uploadId, id, blob, quota }: AddPart,
  at: number,
): Script<OutcomeOf<AddPart>> {
  const upload = yield* getUploadLocked({ owner, id: uploadId, at });
  if (upload === undefined) return { status: "not_found" };
  if (upload.status !== "pending") return ended(upload);
  const parts = yield* readUploadParts({ owner, id: uploadId });
  if (parts.length >= maxParts)
    return { status: "refused", reason: `The upload has ${maxParts} parts, which is the limit.` };
  const reason = yield* overQuota(context, { owner, bytes: blob.size, quota });
  if (reason !== undefined) return { status: "refused", reason };
  context.changes.insert("upload_parts", {
    id,
    upload_id: uploadId,
    owner,
    bytes: blob.size,
    sha256: blob.sha256,
    created_at: at,
  });
  return { status: "added_part", createdAt: at };
}

/** Completes an upload with its file, or cancels it. The parts are deleted. */
export function* endUpload(
  context: WriteContext,
  { owner, id, completed }: EndUpload,
  at: number,
): Script<OutcomeOf<EndUpload>> {
  const { changes } = context;
  const upload = yield* getUploadLocked({ owner, id, at });
  if (upload === undefined) return { status: "not_found" };
  if (upload.status !== "pending") return ended(upload);
  if (completed !== undefined) {
    const { file, blob, quota } = completed;
    const parts = yield* readUploadParts({ owner, id });
    const freed = parts.reduce((sum, part) => sum + part.bytes, 0);
    const reason = yield* overQuota(context, { owner, bytes: blob.size, quota, freed });
    if (reason !== undefined) return { status: "refused", reason };
    insertFile(context, { file, blob, at });
  }
  const status = completed === undefined ? "cancelled" : "completed";
  const fileId = completed?.file.id ?? null;
  changes.update("uploads", { id }, { status, file_id: fileId });
  changes.remove("upload_parts", { upload_id: id });
  return { status: "ended_upload", upload: { ...upload, status, fileId } };
}

function ended({ status }: UploadRecord): {
  readonly status: "refused";
  readonly reason: string;
} {
  return { status: "refused", reason: `The upload is ${status}: create another one.` };
}
