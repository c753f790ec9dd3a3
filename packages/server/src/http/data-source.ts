import type { FilePart } from "@capstan/core/host";
import type { NewRun } from "@capstan/store";
import { StoredData } from "./read-body.ts";

type Blob = NonNullable<NewRun["blobs"]>[number];

/** The source of an image or a file, and the bytes to store with the run. */
export type DataSource = Pick<FilePart, "source" | "mimeType"> & { readonly bytes?: Blob };

/**
 * Returns the content of a `data:` URL or of Base64, else the URL itself.
 *
 * @param given a URL, Base64, or data that was extracted from the request's body
 * @param mimeType the type if the data does not name its own
 * @param plain the meaning of a text that is not a `data:` URL. @default "url"
 * @example dataSource("data:image/png;base64,iVBOR…", "image/*").mimeType; // "image/png"
 */
export function dataSource(
  given: string | StoredData,
  mimeType: string,
  plain: "url" | "base64" = "url",
): DataSource {
  if (given instanceof StoredData) {
    const { sha256, size, bytes, prefix } = given;
    const type = /^data:([^;,]+)/.exec(prefix)?.[1] ?? mimeType;
    return {
      mimeType: type,
      source: { type: "blob", sha256, size },
      bytes: { sha256, size, ...(bytes && { bytes }) },
    };
  }
  const comma = given.indexOf(",");
  if (!given.startsWith("data:") || comma === -1) {
    const source = plain === "url" ? { type: plain, url: given } : { type: plain, data: given };
    return { mimeType, source };
  }
  const [type, ...parameters] = given.slice("data:".length, comma).split(";");
  const body = given.slice(comma + 1);
  const data = parameters.includes("base64") ? body : base64(body);
  return {
    mimeType: type === undefined || type === "" ? mimeType : type,
    source: { type: "base64", data },
  };
}

/** The other form of `data:` URL, whose text is percent-encoded. */
function base64(percentEncoded: string): string {
  let text = percentEncoded;
  try {
    text = decodeURIComponent(percentEncoded);
  } catch {
    // A stray `%` is kept literally.
  }
  return Buffer.from(text).toString("base64");
}
