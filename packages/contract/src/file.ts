/** A link to a file. It works without a key until it expires. */
export interface FileLinkView {
  readonly object: "file.link";
  /** The id of the file. */
  readonly id: string;
  readonly url: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
}

/** A file of `/v1/files`. Times are in seconds since the epoch. */
export interface FileView {
  readonly id: string;
  readonly object: "file";
  readonly bytes: number;
  readonly created_at: number;
  /** Absent if the file does not expire. */
  readonly expires_at?: number;
  readonly filename: string;
  readonly purpose: string;
  /** `error`: the stored row is corrupt. */
  readonly status: "processed" | "error";
  readonly status_details?: string;
}

/** `DELETE /v1/files/{id}`. */
export interface FileDeleted {
  readonly id: string;
  readonly object: "file";
  readonly deleted: true;
}

/** An upload of `/v1/uploads`: a file that is uploaded in parts. */
export interface UploadView {
  readonly id: string;
  readonly object: "upload";
  readonly bytes: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly filename: string;
  readonly purpose: string;
  readonly status: "pending" | "completed" | "cancelled" | "expired";
  /** The file of a completed upload. */
  readonly file: FileView | null;
}

/** A part of an upload. */
export interface UploadPartView {
  readonly id: string;
  readonly object: "upload.part";
  readonly created_at: number;
  readonly upload_id: string;
}
