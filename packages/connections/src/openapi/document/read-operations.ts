import type { ReadOperations } from "../definition/operation.ts";
import { SchemaCollection } from "./collect-schemas.ts";
import { DocumentProblem } from "./document-problem.ts";
import { isObject, type Node, objectOf, textOf } from "./json-object.ts";
import { nameOperations } from "./name-operations.ts";
import { type DocumentParts, readOperation, type RawOperation } from "./read-operation.ts";
import { readSchemes } from "./read-security.ts";
import { chooseServer, serverUrls, type ServerChoice } from "./read-servers.ts";
import { resolveReference } from "./resolve-reference.ts";

/** The settings for reading a document. */
export interface ReadOptions {
  readonly choice: ServerChoice;
  /** The schemes that have a credential. Parameters of the same name are left out. */
  readonly credentials: readonly string[];
  /** The headers of each request, in lower case. */
  readonly headers: readonly string[];
  /** The names that tools have already, by the key of their operation. */
  readonly names: { readonly [key: string]: string };
}

/** The maximum number of operations of a document. */
const mostOperations = 5_000;
/** The maximum number of notes. */
const mostNotes = 200;
const methods = ["get", "head", "post", "put", "patch", "delete"];

/**
 * Reads the operations of a document of version 3.1. Operations that cannot be called are left out
 * with a note.
 *
 * @throws DocumentProblem if the document has no operations
 */
export function readOperations(document: Node, options: ReadOptions): ReadOperations {
  const notes: string[] = [];
  const schemas = new SchemaCollection(document);
  const schemes = readSchemes(document);
  const parts: DocumentParts = {
    document,
    schemas,
    schemes,
    choice: options.choice,
    given: givenParameters(schemes, options),
  };
  const raw = listOperations(document, notes);
  if (raw.length === 0)
    throw new DocumentProblem("it describes no operations: its `paths` are empty or unusable.");
  if (raw.length > mostOperations)
    notes.push(
      `The document has ${raw.length} operations. Only the first ${mostOperations} are used.`,
    );
  const used = raw.slice(0, mostOperations);
  const names = nameOperations(
    used.map(({ key, node }) => ({ key, ...idOf(node) })),
    options.names,
  );
  noteDuplicates(used, notes);
  const operations = used.flatMap((one) => {
    const toolName = names.get(one.key) ?? "operation";
    try {
      return [readOperation({ ...one, toolName }, parts)];
    } catch (thrown) {
      if (!(thrown instanceof DocumentProblem)) throw thrown;
      notes.push(`${nameOf(one)}: ${thrown.message}`);
      return [];
    }
  });
  const main = mainServer(document, options.choice);
  for (const { key, id, server } of operations)
    if (main !== "" && URL.parse(server)?.origin !== URL.parse(main)?.origin)
      notes.push(`${id} (${key}): its requests are sent to ${server}, without credentials.`);
  const servers = serverUrls(document["servers"]);
  if (options.choice.server === undefined && servers.length > 1)
    notes.push(
      `The document names ${servers.length} servers. ${servers[0]} is used; "server" chooses another: ${servers.slice(1, 6).join(", ")}.`,
    );
  return {
    title: (textOf(objectOf(document["info"])["title"]) ?? "").trim().slice(0, 100),
    server: main,
    operations,
    defs: { ...schemas.defs },
    schemes,
    notes:
      notes.length > mostNotes
        ? [...notes.slice(0, mostNotes), `There are ${notes.length - mostNotes} more problems.`]
        : notes,
  };
}

type Listed = Omit<RawOperation, "toolName">;

function listOperations(document: Node, notes: string[]): readonly Listed[] {
  const found: Listed[] = [];
  const shapes = new Map<string, string>();
  for (const [path, raw] of Object.entries(objectOf(document["paths"]))) {
    if (!path.startsWith("/")) {
      if (!path.startsWith("x-"))
        notes.push(`${path.slice(0, 100)}: a path must begin with a slash.`);
      continue;
    }
    let item: Node;
    try {
      item = resolveReference(document, raw, "path");
    } catch (thrown) {
      if (!(thrown instanceof DocumentProblem)) throw thrown;
      notes.push(`${path.slice(0, 100)}: ${thrown.message}`);
      continue;
    }
    for (const method of ["options", "trace"])
      if (isObject(item[method]))
        notes.push(`${method.toUpperCase()} ${path}: requests of this method are not supported.`);
    for (const method of methods) {
      const node = item[method];
      if (!isObject(node)) continue;
      const key = `${method.toUpperCase()} ${path}`;
      // Paths that differ only in the names of their parameters are the same path.
      const shape = key.replaceAll(/\{[^{}]*\}/g, "{}");
      const before = shapes.get(shape);
      if (before !== undefined) {
        notes.push(
          `${nameOf({ key, node })}: it has the same path as ${before}, so it is omitted.`,
        );
        continue;
      }
      shapes.set(shape, key);
      found.push({ key, method: method.toUpperCase(), path, item, node });
    }
  }
  return found;
}

function noteDuplicates(operations: readonly Listed[], notes: string[]): void {
  const keys = new Map<string, string[]>();
  for (const { key, node } of operations) {
    const id = textOf(node["operationId"]);
    if (id !== undefined) keys.set(id, [...(keys.get(id) ?? []), key]);
  }
  for (const [id, all] of keys)
    if (all.length > 1)
      notes.push(
        `${id.slice(0, 100)}: ${all.length} operations have this id: ${all.slice(0, 5).join(", ")}. Each becomes a separate tool.`,
      );
}

function mainServer(document: Node, choice: ServerChoice): string {
  try {
    return chooseServer(document["servers"], choice);
  } catch {
    return "";
  }
}

function idOf(node: Node): { readonly id?: string } {
  const id = textOf(node["operationId"]);
  return id === undefined ? {} : { id };
}

function nameOf({ key, node }: Pick<Listed, "key" | "node">): string {
  const id = textOf(node["operationId"]);
  return id === undefined ? key : `${id.slice(0, 100)} (${key})`;
}

function givenParameters(
  schemes: ReturnType<typeof readSchemes>,
  { credentials, headers }: ReadOptions,
): ReadonlySet<string> {
  const filled = credentials.flatMap((name) => {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (scheme?.type !== "apiKey") return [];
    return [`${scheme.in} ${scheme.in === "header" ? scheme.name.toLowerCase() : scheme.name}`];
  });
  return new Set([...filled, ...headers.map((name) => `header ${name.toLowerCase()}`)]);
}
