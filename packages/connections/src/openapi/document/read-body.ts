import type { JsonSchema } from "@capstan/core";
import type { FieldEncoding, OperationBody, ParameterStyle } from "../definition/operation.ts";
import type { SchemaCollection } from "./collect-schemas.ts";
import { DocumentProblem } from "./document-problem.ts";
import { isObject, type Node, objectOf } from "./json-object.ts";
import { resolveReference } from "./resolve-reference.ts";

/** The body of an operation's requests, with the schema of the argument. */
export interface ReadBody {
  readonly body: OperationBody;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The forms of a body, in the order of preference. */
const kinds: readonly (readonly [OperationBody["kind"], RegExp])[] = [
  ["json", /^application\/json\b/i],
  ["json", /^[\w.+-]+\/[\w.+-]*\+json\b|^text\/json\b/i],
  ["form", /^application\/x-www-form-urlencoded\b/i],
  ["multipart", /^multipart\/form-data\b/i],
  ["json", /^\*\/\*$/],
  ["text", /^text\/|^application\/(?:xml|x-yaml|yaml|graphql|x-ndjson)\b|\+xml\b/i],
  ["file", /./],
];

const fileText =
  "A file: the id or the name of a file of this conversation. The file itself is sent.";

/**
 * Reads the body of an operation's requests, and chooses one of its content types.
 *
 * @throws DocumentProblem
 */
export function readBody(
  document: Node,
  requestBody: unknown,
  schemas: SchemaCollection,
): ReadBody | undefined {
  if (requestBody === undefined) return undefined;
  const node = resolveReference(document, requestBody, "request body");
  const content = objectOf(node["content"]);
  const chosen = choose(Object.keys(content));
  if (chosen === undefined) return undefined;
  const { kind, type } = chosen;
  const media = objectOf(content[type]);
  const required = node["required"] === true;
  const contentType = type === "*/*" ? "application/json" : type;
  if (kind === "file")
    return {
      body: { kind, contentType },
      schema: { type: "string", description: fileText },
      required,
    };
  if (kind === "text")
    return {
      body: { kind, contentType },
      schema: { type: "string", description: `The body, as ${contentType}.` },
      required,
    };
  if (kind === "json")
    return { body: { kind, contentType }, schema: schemas.copy(media["schema"] ?? {}), required };
  const form = readForm(document, media, { kind, contentType, schemas });
  // The upgrade of version 2 does not mark forms with required fields as required.
  return { ...form, required: required || form.schema["required"] !== undefined };
}

function choose(
  types: readonly string[],
): { readonly kind: OperationBody["kind"]; readonly type: string } | undefined {
  for (const [kind, pattern] of kinds) {
    const type = types.find((one) => pattern.test(one));
    if (type !== undefined) return { kind, type };
  }
  return undefined;
}

function readForm(
  document: Node,
  media: Node,
  options: {
    readonly kind: "form" | "multipart";
    readonly contentType: string;
    readonly schemas: SchemaCollection;
  },
): Omit<ReadBody, "required"> {
  const { kind, contentType, schemas } = options;
  const schema = schemas.copy(media["schema"] ?? {});
  const encoding = readEncoding(objectOf(media["encoding"]));
  const body = {
    kind,
    contentType,
    ...(Object.keys(encoding).length > 0 && { encoding }),
  };
  if (kind === "form") return { body, schema };
  // Only the fields of the form itself are files, not those of nested objects.
  const own = ownProperties(document, media["schema"]);
  const files = Object.keys(own).filter((name) => isFileField(document, own[name]));
  if (files.length === 0) return { body, schema };
  const fields = Object.fromEntries(
    files.map((name) => {
      const isList = resolveField(document, own[name])["type"] === "array";
      const file = { type: "string", description: fileText };
      return [name, isList ? { type: "array", items: file } : file];
    }),
  );
  const { required } = resolveField(document, media["schema"]);
  const copied: JsonSchema = {
    type: "object",
    properties: {
      ...Object.fromEntries(
        Object.entries(own)
          .filter(([name]) => !files.includes(name))
          .map(([name, property]) => [name, schemas.copy(property)]),
      ),
      ...fields,
    },
    ...(Array.isArray(required) && required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { body: { ...body, files }, schema: copied };
}

function readEncoding(encoding: Node): { readonly [field: string]: FieldEncoding } {
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([field, raw]) => {
      const { contentType, style, explode } = objectOf(raw);
      const read: FieldEncoding = {
        ...(typeof contentType === "string" &&
          !contentType.includes(",") &&
          !contentType.includes("*") && { contentType }),
        ...(typeof style === "string" &&
          formStyles.has(style) && {
            style: style as ParameterStyle,
          }),
        ...(typeof explode === "boolean" && { explode }),
      };
      return Object.keys(read).length === 0 ? [] : [[field, read]];
    }),
  );
}

const formStyles = new Set(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

function ownProperties(document: Node, schema: unknown, depth = 0): Node {
  if (depth > 20) throw new DocumentProblem("its form is nested too deeply.");
  const node = resolveField(document, schema);
  const parts = Array.isArray(node["allOf"]) ? (node["allOf"] as readonly unknown[]) : [];
  return Object.assign(
    {},
    ...parts.map((part) => ownProperties(document, part, depth + 1)),
    objectOf(node["properties"]),
  ) as Node;
}

function resolveField(document: Node, schema: unknown): Node {
  return isObject(schema) ? resolveReference(document, schema, "field") : {};
}

function isFileField(document: Node, schema: unknown): boolean {
  const node = resolveField(document, schema);
  if (node["type"] === "array") return isFile(resolveField(document, node["items"]));
  return isFile(node);
}

function isFile(node: Node): boolean {
  const { type, format, contentMediaType, contentEncoding } = node;
  if (type === "file" || format === "binary") return true;
  return (
    typeof contentMediaType === "string" &&
    contentEncoding === undefined &&
    !/^application\/json\b|^text\//i.test(contentMediaType)
  );
}
