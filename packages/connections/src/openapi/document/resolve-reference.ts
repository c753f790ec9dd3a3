import { DocumentProblem } from "./document-problem.ts";
import { isObject, type Node } from "./json-object.ts";

/** The longest chain of references. */
const mostSteps = 50;

/**
 * Returns the object that a value is or refers to. Only references within the document are
 * followed: nothing is fetched or read.
 *
 * @throws DocumentProblem if there is no such object
 */
export function resolveReference(document: Node, value: unknown, what: string): Node {
  let node = value;
  for (let step = 0; step < mostSteps; step++) {
    if (!isObject(node)) throw new DocumentProblem(`its ${what} is not an object.`);
    const { $ref } = node;
    if (typeof $ref !== "string") return node;
    node = targetOf(document, $ref);
  }
  throw new DocumentProblem(`its ${what} refers to itself.`);
}

/**
 * Returns the value that a reference leads to.
 *
 * @throws DocumentProblem if it leads to another document or to nothing
 */
export function targetOf(document: Node, reference: string): unknown {
  const shown = reference.slice(0, 200);
  if (!reference.startsWith("#"))
    throw new DocumentProblem(
      `it refers to ${shown}, which cannot be read. Only JSON and YAML files in the same folder, or of the same origin, are read.`,
    );
  let target: unknown = document;
  for (const part of pointerParts(reference)) {
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, part))
      throw new DocumentProblem(`it refers to ${shown}, which does not exist.`);
    target = (target as Node)[part];
  }
  return target;
}

/** Returns the keys of a reference such as `#/components/schemas/Pet`. */
export function pointerParts(reference: string): readonly string[] {
  const pointer = decoded(reference.slice(1));
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
