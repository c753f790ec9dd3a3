import { importTexts } from "../texts/import.ts";
import { importLimits } from "./read-export.ts";

/**
 * Returns the JSON of an export: a JSON file, or a ZIP archive with one.
 *
 * @throws Error if the file is too large, or has no JSON
 */
export async function openFile(file: Blob): Promise<string> {
  if (file.size > importLimits.bytes) throw new Error(importTexts.tooLarge(importLimits.bytes));
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const json = isZip ? await jsonIn(bytes) : bytes;
  return new TextDecoder().decode(json);
}

async function jsonIn(archive: Uint8Array): Promise<Uint8Array> {
  const { unzip } = await import("fflate");
  let isTooLarge = false;
  const entries = await new Promise<{ readonly [name: string]: Uint8Array }>((resolve, reject) => {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (!/(?:^|\/)conversations\.json$/.test(name)) return false;
      isTooLarge ||= originalSize > importLimits.bytes;
      return !isTooLarge;
    };
    unzip(archive, { filter }, (error, found) =>
      error === null ? resolve(found) : reject(new Error(importTexts.brokenArchive)),
    );
  });
  if (isTooLarge) throw new Error(importTexts.tooLarge(importLimits.bytes));
  const [json] = Object.values(entries);
  if (json === undefined) throw new Error(importTexts.noConversations);
  return json;
}
