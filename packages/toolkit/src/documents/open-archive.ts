import { unzipSync, zipSync } from "fflate";
import { DocumentProblem } from "./document-problem.ts";

/** The files in a document that is a ZIP archive, by their names. */
export type ArchiveFiles = Readonly<Record<string, Uint8Array>>;

/** The limits of an archive's unpacked content. */
const maxBytes = 100 * 1024 * 1024;
const maxFiles = 10_000;

/** Conversions read only these files. Pictures, fonts and programs are not unpacked. */
const isRead = /(?:\.(?:xml|rels|opf|ncx|x?html?)|^mimetype)$/i;

/**
 * Unpacks the files of a document that a conversion reads. A file that is larger than declared
 * is truncated at that size, and is then not valid XML.
 *
 * @throws DocumentProblem if it is not a ZIP archive, is too large, or a file declares entities
 */
export function openArchive(bytes: Uint8Array): ArchiveFiles {
  let total = 0;
  let count = 0;
  let files: ArchiveFiles;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, size, originalSize, compression }) => {
        if (++count > maxFiles)
          throw new DocumentProblem(`it contains more than ${maxFiles} files`);
        if (!isRead.test(name)) return false;
        // The size of an uncompressed file is that of its bytes in the archive, whatever size it
        // declares.
        total += compression === 0 ? Math.max(size, originalSize) : originalSize;
        if (total <= maxBytes) return true;
        throw new DocumentProblem(`it is larger than ${maxBytes / 1024 / 1024} MB when unpacked`);
      },
    });
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) throw thrown;
    throw new DocumentProblem("it is not a valid ZIP archive, or it is encrypted");
  }
  for (const [name, content] of Object.entries(files)) {
    if (name.startsWith("/") || name.split(/[/\\]/).includes(".."))
      throw new DocumentProblem("it contains a file with a path outside of the document");
    if (declaresEntities(content)) throw new DocumentProblem("its XML declares entities");
  }
  return files;
}

/**
 * Returns whether a file declares XML entities, because a few bytes of them can expand to
 * gigabytes. Office documents and books have none.
 */
function declaresEntities(content: Uint8Array): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  // The UTF-16LE search also finds UTF-16BE text, because in both a NUL follows each `<`, `!` and
  // letter.
  return ["utf8", "utf16le"].some((encoding) =>
    bytes.includes("<!ENTITY", 0, encoding as BufferEncoding),
  );
}

/**
 * Packs unpacked files without compression, for a library that reads archives itself. The library
 * then sees only checked files.
 */
export function repack(files: ArchiveFiles): Uint8Array {
  return zipSync(files, { level: 0 });
}
