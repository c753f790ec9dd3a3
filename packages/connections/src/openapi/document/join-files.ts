import { DocumentProblem } from "./document-problem.ts";
import { isObject, type Node } from "./json-object.ts";
import { parseDocument } from "./parse-document.ts";

/** The other files of a document by their URLs; null if a file may not or cannot be read. */
export type DocumentFiles = { readonly [url: string]: string | null };

/** A document with the files that it refers to, or the URLs of files that are not loaded yet. */
export type JoinedDocument =
  | { readonly status: "joined"; readonly document: Node }
  | { readonly status: "needs"; readonly urls: readonly string[] };

/** The key of the joined document that holds the other files. */
const key = "x-files";

/**
 * Joins a document with the files that it refers to: each file becomes a part of the document, and
 * references lead to it. References to files that may not be read stay, and do not resolve.
 *
 * @param location the URL of the document, to which its references are relative
 * @throws DocumentProblem if a file cannot be parsed
 */
export function joinFiles(
  document: Node,
  { location, files }: { readonly location: string; readonly files: DocumentFiles },
): JoinedDocument {
  const names = new Map<string, string>();
  const parts: { [name: string]: unknown } = {};
  const needed = new Set<string>();
  const waiting: { readonly name: string; readonly url: string; readonly content: Node }[] = [];
  const joined = rewrite(document, { base: location, pointer: "" }) as Node;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, url, content } = next;
    parts[name] = rewrite(content, { base: url, pointer: `#/${key}/${name}` });
  }
  if (needed.size > 0) return { status: "needs", urls: [...needed] };
  if (names.size === 0) return { status: "joined", document };
  return { status: "joined", document: { ...joined, [key]: parts } };

  function rewrite(
    value: unknown,
    at: { readonly base: string; readonly pointer: string },
  ): unknown {
    if (Array.isArray(value)) return value.map((item) => rewrite(item, at));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        name === "$ref" && typeof member === "string"
          ? referenceTo(member, at)
          : rewrite(member, at),
      ]),
    );
  }

  function referenceTo(
    reference: string,
    { base, pointer }: { readonly base: string; readonly pointer: string },
  ): string {
    if (reference.startsWith("#")) return pointer === "" ? reference : pointer + reference.slice(1);
    const target = URL.parse(reference, base);
    if (target === null) return reference;
    const fragment = target.hash;
    target.hash = "";
    if (target.href === location) return fragment === "" ? "#" : fragment;
    const text = Object.hasOwn(files, target.href) ? files[target.href] : undefined;
    if (text === null) return reference;
    if (text === undefined) {
      needed.add(target.href);
      return reference;
    }
    return `#/${key}/${nameOf(target, text)}${fragment.slice(1)}`;
  }

  function nameOf(url: URL, text: string): string {
    const known = names.get(url.href);
    if (known !== undefined) return known;
    const last =
      url.pathname
        .split("/")
        .at(-1)
        ?.replaceAll(/[^\w.-]/g, "_") || "file";
    let name = last;
    for (let n = 2; name in parts || [...names.values()].includes(name); n++) name = `${last}_${n}`;
    names.set(url.href, name);
    waiting.push({ name, url: url.href, content: parsed(text, last) });
    return name;
  }
}

function parsed(text: string, name: string): Node {
  try {
    return parseDocument(text);
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown;
    throw new DocumentProblem(`its file ${name.slice(0, 100)}: ${thrown.message}`);
  }
}
