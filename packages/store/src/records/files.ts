/** The origin of a file: a client, a tool, or the page. */
export type FileSource = "upload" | "tool" | "attachment";

/** A file to create. The caller chooses a random id. */
export interface NewFile {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mimeType: string;
  readonly purpose: string;
  readonly source: FileSource;
  /** Ms after which the file expires. @default it does not expire */
  readonly ttlMs?: number;
  /** The run whose tool returned the file. The file is deleted with the run. */
  readonly runId?: string;
}

/** A file of a user. Its bytes are the blob with its hash. */
export interface FileRecord {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mimeType: string;
  /** The number of bytes. */
  readonly bytes: number;
  readonly sha256: string;
  readonly purpose: string;
  readonly source: FileSource;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The number in the order of creation. */
  readonly createdSeq: number;
}

/** The limits of a user's files, parts of uploads included. */
export interface FileQuota {
  readonly files: number;
  readonly bytes: number;
  /** The limits of the files of all users together. @default none */
  readonly total?: { readonly files: number; readonly bytes: number };
}

/** A file to upload in parts. The caller chooses a random id. */
export interface NewUpload {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mimeType: string;
  /** The number of bytes of all parts together. */
  readonly bytes: number;
  readonly purpose: string;
  /** Ms after which the file expires. @default it does not expire */
  readonly fileTtlMs?: number;
  /** Ms after which the upload expires. */
  readonly ttlMs: number;
}

/** An upload. A pending upload whose time is up has the status `expired`. */
export interface UploadRecord {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly purpose: string;
  readonly fileTtlMs: number | null;
  readonly status: "pending" | "completed" | "cancelled" | "expired";
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The file of a completed upload. */
  readonly fileId: string | null;
}

/** A part of an upload. Its bytes are the blob with its hash. */
export interface UploadPart {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly createdAt: number;
}
