import { createHash } from "node:crypto";
import type { JsonSchema } from "@capstan/core";
import type { Operation, SecurityScheme } from "../definition/operation.ts";
import type { SchemaCollection } from "./collect-schemas.ts";
import { DocumentProblem } from "./document-problem.ts";
import { listOf, type Node, objectOf, textOf } from "./json-object.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import { readSecurity } from "./read-security.ts";
import { chooseServer, type ServerChoice } from "./read-servers.ts";
import { resolveReference } from "./resolve-reference.ts";

/** The maximum length of an operation's schema with all schemas that it uses, in characters. */
const largestSchema = 512 * 1024;
/** The maximum length of a description, in characters. */
const longestDescription = 1_500;

/** An operation of a document that was not read yet. */
export interface RawOperation {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly item: Node;
  readonly node: Node;
  readonly toolName: string;
}

/** The parts of a document that its operations share. */
export interface DocumentParts {
  readonly document: Node;
  readonly schemas: SchemaCollection;
  readonly schemes: { readonly [name: string]: SecurityScheme };
  readonly choice: ServerChoice;
  /** Parameters that the settings or the credentials fill: `header x-token`. */
  readonly given: ReadonlySet<string>;
}

/**
 * Reads an operation.
 *
 * @throws DocumentProblem if it cannot be called
 */
export function readOperation(raw: RawOperation, parts: DocumentParts): Operation {
  const { document, schemas } = parts;
  const { key, method, path, item, node, toolName } = raw;
  const read = readParameters(
    document,
    { path, shared: item["parameters"], own: node["parameters"] },
    { schemas, given: parts.given },
  );
  const body = readBody(document, node["requestBody"] ?? read.requestBody, schemas);
  if (body !== undefined && (method === "GET" || method === "HEAD") && body.required)
    throw new DocumentProblem(`a ${method} request cannot have a body.`);
  const sent = method === "GET" || method === "HEAD" ? undefined : body;
  const input: JsonSchema = {
    type: "object",
    properties: {
      ...read.properties,
      ...(sent !== undefined && { body: sent.schema }),
    },
    ...requiredOf([...read.required, ...(sent?.required === true ? ["body"] : [])]),
    additionalProperties: false,
  };
  const size = schemas.size(input);
  if (size > largestSchema)
    throw new DocumentProblem(
      `its schema has ${size} characters; at most ${largestSchema} are supported.`,
    );
  const output = readOutput(node["responses"], parts);
  const security = readSecurity(node["security"] ?? document["security"]);
  const id = textOf(node["operationId"]);
  const title = textOf(node["summary"]);
  const [tag] = listOf(node["tags"]);
  const operation: Omit<Operation, "digest"> = {
    key,
    id: id ?? key,
    toolName,
    ...(title !== undefined && { title: title.trim().slice(0, 100) }),
    description: describe(raw),
    method,
    server: serverOf(raw, parts),
    path,
    ...(typeof tag === "string" && { tag: tag.slice(0, 100) }),
    parameters: read.parameters,
    ...(sent !== undefined && { body: sent.body }),
    ...(read.idempotencyHeader !== undefined && { idempotencyHeader: read.idempotencyHeader }),
    security,
    input,
    ...(output !== undefined && { output }),
  };
  return { ...operation, digest: digestOf(operation, parts) };
}

function requiredOf(names: readonly string[]): { readonly required?: readonly string[] } {
  return names.length === 0 ? {} : { required: names };
}

function describe({ key, node }: RawOperation): string {
  const summary = textOf(node["summary"])?.trim();
  const description = textOf(node["description"])?.trim();
  const repeats = summary !== undefined && description?.startsWith(summary.replace(/\.$/, ""));
  const parts = repeats === true ? [description] : [summary, description];
  const text = parts.filter((part) => part !== undefined).join("\n") || key;
  const shown = node["deprecated"] === true ? `Deprecated. ${text}` : text;
  return shown.length > longestDescription ? `${shown.slice(0, longestDescription - 1)}…` : shown;
}

/** Servers of an operation or a path have precedence, because they differ for a reason. */
function serverOf({ item, node }: RawOperation, { document, choice }: DocumentParts): string {
  const own = [node["servers"], item["servers"]].find((servers) => listOf(servers).length > 0);
  if (own === undefined) return chooseServer(document["servers"], choice);
  const { server: _chosen, ...others } = choice;
  return chooseServer(own, others);
}

/** Returns the schema of the JSON of a successful response. An unusable one is left out. */
function readOutput(responses: unknown, parts: DocumentParts): JsonSchema | undefined {
  const all = objectOf(responses);
  const status = Object.keys(all).find((code) => /^2(?:\d\d|XX)$/i.test(code));
  if (status === undefined) return undefined;
  try {
    const response = resolveReference(parts.document, all[status], "response");
    const content = objectOf(response["content"]);
    const type = Object.keys(content).find((one) =>
      /^application\/(?:[\w.-]+\+)?json\b/i.test(one),
    );
    const schema = type === undefined ? undefined : objectOf(content[type])["schema"];
    if (schema === undefined) return undefined;
    const copied = parts.schemas.copy(schema);
    return parts.schemas.size(copied) > largestSchema ? undefined : copied;
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) return undefined;
    throw thrown;
  }
}

function digestOf(
  operation: Omit<Operation, "digest">,
  { schemas, schemes }: DocumentParts,
): string {
  const { input, output, toolName: _name, ...rest } = operation;
  const used = [...new Set(operation.security.flat())].map((name) => schemes[name] ?? null);
  return createHash("sha256")
    .update(JSON.stringify([rest, used]))
    .update(schemas.digest(input))
    .update(output === undefined ? "" : schemas.digest(output))
    .digest("hex");
}
