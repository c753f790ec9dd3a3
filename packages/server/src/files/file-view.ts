import type { FileView, UploadView } from "@capstan/contract";
import type { CorruptPermission, FileRecord, UploadRecord } from "@capstan/store";

/** Returns seconds since the epoch. */
export const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** Returns a file as the API shows it. */
export function fileView(file: FileRecord): FileView {
  return {
    id: file.id,
    object: "file",
    bytes: file.bytes,
    created_at: seconds(file.createdAt),
    ...(file.expiresAt !== null && { expires_at: seconds(file.expiresAt) }),
    filename: file.name,
    purpose: file.purpose,
    status: "processed",
  };
}

/** Returns the entry of a list for a file that cannot be read. */
export function fileEntry(file: FileRecord | CorruptPermission): FileView {
  if (!("isCorrupt" in file)) return fileView(file);
  return {
    id: file.id,
    object: "file",
    bytes: 0,
    created_at: 0,
    filename: "",
    purpose: "",
    status: "error",
    status_details: "The stored row of this file is corrupt. The file can be deleted.",
  };
}

/** Returns an upload as the API shows it. */
export function uploadView(upload: UploadRecord, file: FileRecord | undefined): UploadView {
  return {
    id: upload.id,
    object: "upload",
    bytes: upload.bytes,
    created_at: seconds(upload.createdAt),
    expires_at: seconds(upload.expiresAt),
    filename: upload.name,
    purpose: upload.purpose,
    status: upload.status,
    file: file === undefined ? null : fileView(file),
  };
}
