/** An error as plain data, which one thread can post to another. */
export interface ErrorData {
  readonly code: string;
  readonly message: string;
}

/** SQLite's primary result codes that have a cause outside of the program. */
const causes: { readonly [code: number]: { readonly code: string; readonly advice: string } } = {
  5: { code: "store_busy", advice: "Another program holds the database; close it and try again." },
  8: {
    code: "data_directory_unwritable",
    advice: "Make the data directory writable for this user, or choose another.",
  },
  10: { code: "store_failed", advice: "The disk reported an error; check it before you continue." },
  11: {
    code: "database_corrupt",
    advice:
      "The database is corrupt; restore a backup, or move it away to start with an empty one.",
  },
  13: { code: "disk_full", advice: "The disk is full; make room and try again." },
  14: {
    code: "data_directory_unwritable",
    advice: "Make the data directory writable for this user, or choose another.",
  },
  26: {
    code: "database_corrupt",
    advice:
      "The file capstan.db is not an SQLite database; move it away, or choose another data directory.",
  },
};

/** Statements are tested with the schema, so a missing column or table is damage. */
const otherSchema = /^no such (?:column|table): /;

const unwritable = causes[14];
const full = causes[13];
/** The same causes, as the file system reports them. */
const fileCauses: { readonly [code: string]: typeof unwritable } = {
  EACCES: unwritable,
  EPERM: unwritable,
  EROFS: unwritable,
  ENOTDIR: unwritable,
  EEXIST: unwritable,
  ENOENT: unwritable,
  ENOSPC: full,
  EDQUOT: full,
};

/**
 * Returns an error as data. This module imports no other module of the workspace, so that threads
 * start fast.
 */
export function errorDataOf(action: string, thrown: unknown): ErrorData {
  // A decision found a corrupt row.
  if (thrown instanceof Error && "code" in thrown && thrown.code === "database_corrupt")
    return { code: thrown.code, message: thrown.message };
  const cause = causeOf(thrown) ?? { code: "store_failed", advice: "Nothing of it was written." };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: cause.code, message: `${action} failed: ${reason}. ${cause.advice}` };
}

function causeOf(thrown: unknown): (typeof causes)[number] | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if ("errcode" in thrown)
    return otherSchema.test(thrown.message) ? causes[11] : causes[Number(thrown.errcode) & 0xff];
  return "code" in thrown ? fileCauses[String(thrown.code)] : undefined;
}
