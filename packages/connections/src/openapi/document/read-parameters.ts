import type { JsonSchema } from "@capstan/core";
import type {
  OperationParameter,
  ParameterPlace,
  ParameterStyle,
} from "../definition/operation.ts";
import { requireVisible, type SchemaCollection } from "./collect-schemas.ts";
import { DocumentProblem } from "./document-problem.ts";
import { listOf, type Node, objectOf, textOf } from "./json-object.ts";
import { resolveReference } from "./resolve-reference.ts";

/** The parameters of an operation, with the schemas of their arguments. */
export interface ReadParameters {
  readonly parameters: readonly OperationParameter[];
  readonly properties: { readonly [argument: string]: JsonSchema };
  readonly required: readonly string[];
  readonly idempotencyHeader?: string;
  /** A body that the upgrade of version 2 left among the parameters. */
  readonly requestBody?: Node;
}

const places: readonly ParameterPlace[] = ["path", "query", "header", "cookie"];
/** Headers that the body and the credentials determine. */
const ownHeaders = new Set([
  "accept",
  "content-type",
  "authorization",
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "cookie",
]);
const styles: { readonly [style: string]: ParameterStyle } = {
  simple: "simple",
  label: "label",
  matrix: "matrix",
  form: "form",
  spaceDelimited: "spaceDelimited",
  pipeDelimited: "pipeDelimited",
  deepObject: "deepObject",
};

/**
 * Reads the parameters of an operation, which override those of its path.
 *
 * @param options.given the parameters that the settings or the credentials fill: `header x-token`
 * @throws DocumentProblem
 */
export function readParameters(
  document: Node,
  operation: { readonly path: string; readonly shared: unknown; readonly own: unknown },
  options: { readonly schemas: SchemaCollection; readonly given: ReadonlySet<string> },
): ReadParameters {
  const found = new Map<string, Node>();
  let requestBody: Node | undefined;
  for (const raw of [...listOf(operation.shared), ...listOf(operation.own)]) {
    const node = resolveReference(document, raw, "parameter");
    if (typeof node["name"] === "string") found.set(`${String(node["in"])} ${node["name"]}`, node);
    else if (node["content"] !== undefined) requestBody = node;
  }
  const inPath = templateNames(operation.path);
  for (const name of inPath)
    if (!found.has(`path ${name}`))
      found.set(`path ${name}`, { name, in: "path", schema: { type: "string" } });
  const ordered = places.flatMap((place) =>
    [...found.values()].filter((node) => node["in"] === place),
  );
  const parameters: OperationParameter[] = [];
  const properties: { [argument: string]: JsonSchema } = Object.create(null) as Record<
    string,
    JsonSchema
  >;
  const required: string[] = [];
  let idempotencyHeader: string | undefined;
  for (const node of ordered) {
    const name = String(node["name"]);
    const place = node["in"] as ParameterPlace;
    requireVisible(name);
    const key = place === "header" ? name.toLowerCase() : name;
    if (place === "header" && ownHeaders.has(key)) continue;
    if (options.given.has(`${place} ${key}`)) continue;
    if (place === "path" && !inPath.has(name)) continue;
    if (place === "header" && /^(?:x-)?idempotency-key$/.test(key)) {
      idempotencyHeader = name;
      continue;
    }
    const argument = argumentName(name, place, properties);
    const { schema, style } = readForm(node, place, options.schemas);
    const description = textOf(node["description"])?.slice(0, 1_000) ?? schema["description"];
    properties[argument] = {
      ...schema,
      ...(description !== undefined && { description }),
    };
    if (place === "path" || node["required"] === true) required.push(argument);
    parameters.push({
      argument,
      name,
      in: place,
      style,
      explode:
        typeof node["explode"] === "boolean"
          ? node["explode"]
          : style === "form" || style === "deepObject",
      ...(node["allowReserved"] === true && { allowReserved: true }),
    });
  }
  return {
    parameters,
    properties,
    required,
    ...(idempotencyHeader !== undefined && { idempotencyHeader }),
    ...(requestBody !== undefined && { requestBody }),
  };
}

function readForm(
  node: Node,
  place: ParameterPlace,
  schemas: SchemaCollection,
): { readonly schema: JsonSchema; readonly style: ParameterStyle } {
  const [content] = Object.values(objectOf(node["content"]));
  if (content !== undefined)
    return { schema: schemas.copy(objectOf(content)["schema"] ?? {}), style: "json" };
  const schema = schemas.copy(node["schema"] ?? {});
  const inQuery = place === "query" || place === "cookie";
  const given = typeof node["style"] === "string" ? styles[node["style"]] : undefined;
  return { schema, style: given ?? (inQuery ? "form" : "simple") };
}

/** Returns the names of the parameters in a path. */
export function templateNames(path: string): ReadonlySet<string> {
  return new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name));
}

/** Returns a name that every provider accepts: the parameter's own, or one with its location. */
function argumentName(name: string, place: ParameterPlace, taken: object): string {
  const plain = name.replaceAll(/[^\w.-]+/g, "_").replaceAll(/^_+(?=\w)|_+$/g, "") || "value";
  const short = plain.slice(0, 56);
  for (const candidate of [short, `${place}_${short}`])
    if (!(candidate in taken) && candidate !== "body") return candidate;
  for (let n = 2; n < 100; n++) if (!(`${short}_${n}` in taken)) return `${short}_${n}`;
  throw new DocumentProblem(`it has too many parameters named ${name.slice(0, 100)}.`);
}
