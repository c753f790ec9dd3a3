import { DOMParser } from "linkedom";
import { DocumentProblem } from "./document-problem.ts";
import type { ArchiveFiles } from "./open-archive.ts";

/** Parsing takes memory for each element. */
const maxElements = 200_000;

/**
 * Parses a file of an archive as XML.
 *
 * @throws DocumentProblem if it is missing or has too many elements
 */
export function readXml(files: ArchiveFiles, name: string): Document {
  const content = Object.hasOwn(files, name) ? files[name] : undefined;
  if (content === undefined)
    throw new DocumentProblem(`its file "${name.slice(0, 100)}" is missing`);
  const text = new TextDecoder().decode(content);
  let count = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1))
    if (++count > 2 * maxElements) throw new DocumentProblem("it has too many elements");
  return new DOMParser().parseFromString(text, "text/xml") as unknown as Document;
}

/** Returns the elements with a qualified name such as `a:t`, in the order of the document. */
export function elementsOf(parent: Document | Element, name: string): readonly Element[] {
  return [...parent.getElementsByTagName(name)];
}

/**
 * Returns the targets of a file's relationships, by their ids.
 *
 * @param file for example `ppt/slides/slide1.xml`
 */
export function relationshipsOf(files: ArchiveFiles, file: string): ReadonlyMap<string, string> {
  const slash = file.lastIndexOf("/") + 1;
  const name = `${file.slice(0, slash)}_rels/${file.slice(slash)}.rels`;
  if (!Object.hasOwn(files, name)) return new Map();
  return new Map(
    elementsOf(readXml(files, name), "Relationship").map((element) => [
      element.getAttribute("Id") ?? "",
      resolvePath(file, element.getAttribute("Target") ?? ""),
    ]),
  );
}

/**
 * Returns the path of a link in an archive.
 *
 * @example resolvePath("ppt/slides/slide1.xml", "../media/a.png"); // "ppt/media/a.png"
 */
export function resolvePath(from: string, link: string): string {
  const url = URL.parse(link, new URL(encodeURI(from), "archive://a/"));
  if (url?.protocol !== "archive:") return "";
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch {
    return "";
  }
}
