import type { ReadOperations } from "../definition/operation.ts";
import { upgradeFromTwoToThree } from "../../libraries/openapi-upgrader.ts";
import { DocumentProblem } from "./document-problem.ts";
import { type DocumentFiles, joinFiles, type JoinedDocument } from "./join-files.ts";
import { type Node, objectOf } from "./json-object.ts";
import { parseDocument } from "./parse-document.ts";
import { prepareVersion2 } from "./prepare-version-2.ts";
import { type ReadOptions, readOperations } from "./read-operations.ts";

/** The result of reading a document. */
export type ReadDocument =
  /** It refers to files that must be loaded first. */
  | { readonly status: "needs"; readonly urls: readonly string[] }
  | { readonly status: "read"; readonly list: ReadOperations }
  | { readonly status: "failed"; readonly problem: string };

/** The settings for reading a document, and the files that it refers to. */
export interface DocumentOptions extends ReadOptions {
  /** The URL of the document, to which its references are relative. */
  readonly location: string;
  readonly files: DocumentFiles;
}

/** Matches references to other files. Also matches some other texts, which does no harm. */
const reference = /\$ref["']?\s*:\s*(?:["']\s*)?[^#"'\s]/;

/** Reads the operations of a document of version 2.0, 3.0 or 3.1, in JSON or YAML. */
export function readDocument(text: string, options: DocumentOptions): ReadDocument {
  try {
    const parsed = parseDocument(text);
    const joined: JoinedDocument = reference.test(text)
      ? joinFiles(parsed, options)
      : { status: "joined", document: parsed };
    if (joined.status === "needs") return joined;
    return {
      status: "read",
      list: readOperations(upgraded(joined.document, options), options),
    };
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) return { status: "failed", problem: thrown.message };
    if (thrown instanceof RangeError)
      return { status: "failed", problem: "it is nested too deeply." };
    return { status: "failed", problem: "it cannot be read as an OpenAPI document." };
  }
}

function upgraded(document: Node, { choice }: ReadOptions): Node {
  const { openapi, swagger } = document;
  const given = openapi ?? swagger;
  const version = typeof given === "string" || typeof given === "number" ? String(given) : "";
  // The copies of schemas correct the keywords that version 3.1 changed: an upgrade of the whole
  // document would take most of the time.
  if (swagger === undefined && /^3(?:\.|$)/.test(version)) return document;
  if (openapi === undefined && /^2(?:\.|$)/.test(version))
    return objectOf(
      upgradeFromTwoToThree(prepareVersion2({ ...document, swagger: "2.0" }, choice.base)),
    );
  throw new DocumentProblem(
    version === ""
      ? 'it has neither `openapi: "3.1.0"` nor `swagger: "2.0"`.'
      : `its version ${version.slice(0, 20)} is not supported. Supported versions: 2.0, 3.0 and 3.1.`,
  );
}
