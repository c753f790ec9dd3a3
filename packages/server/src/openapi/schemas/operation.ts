/** A JSON Schema in an OpenAPI document. */
export type Schema = { readonly [keyword: string]: unknown };

/** A route in the published contract. */
export interface Operation {
  /** One sentence without a full stop. */
  readonly summary: string;
  /** More sentences. */
  readonly description?: string;
  readonly query?: readonly QueryParameter[];
  /** The body of the request, as JSON. @default none */
  readonly body?: Schema;
  /** The body of the request, as a multipart form. @default none */
  readonly form?: Schema;
  readonly answer: Answer;
  /**
   * Whether a provider's model answers, so that the operation can have the model's errors.
   * @default true if the request can ask for a stream of a new answer
   */
  readonly asksModel?: boolean;
  /** Whether some servers do not have the resource. @default false */
  readonly isOptional?: boolean;
}

/** A parameter of the query. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** How an object is written, as `name[key]=value`. */
  readonly style?: "deepObject";
  readonly explode?: true;
}

/** The response of a successful request. */
export type Answer =
  | { readonly type: "json"; readonly schema: Schema }
  /** Server-sent events whose data have this schema. */
  | { readonly type: "events"; readonly schema: Schema }
  /** JSON, or events if the request asks for a stream. */
  | { readonly type: "either"; readonly schema: Schema; readonly event: Schema }
  | { readonly type: "bytes" };

/** Operations by their route, as in `routeRights`: `GET /v1/runs/:id`. */
export type Operations = { readonly [route: string]: Operation };

/** Returns a reference to the schema of a type of the contract. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns the answer with one of these types. */
export function json(...names: readonly [string, ...string[]]): Answer {
  return { type: "json", schema: anyOf(names) };
}

/** Returns the answer with a page of a list. */
export function listOf(...names: readonly [string, ...string[]]): Answer {
  return { type: "json", schema: listSchema(anyOf(names)) };
}

/** Returns the schema of a list's page. */
export function listSchema(items: Schema): Schema {
  const id = { type: ["string", "null"] };
  return {
    type: "object",
    required: ["object", "data", "has_more"],
    properties: {
      object: { const: "list" },
      data: { type: "array", items },
      has_more: { type: "boolean" },
      first_id: id,
      last_id: id,
    },
  };
}

/** Returns the schema of an object with these members, all of them required. */
export function objectOf(properties: { readonly [name: string]: Schema }): Schema {
  return { type: "object", required: Object.keys(properties), properties };
}

function anyOf(names: readonly string[]): Schema {
  const [first = "", ...more] = names;
  return more.length === 0 ? ref(first) : { anyOf: names.map(ref) };
}

/** The size of a page. */
export function limit(maximum: number, fallback: number): QueryParameter {
  const schema = { type: "integer", minimum: 1, maximum, default: fallback };
  return { name: "limit", description: "The maximum number of entries on the page.", schema };
}

/** The cursor of a list. */
export const after: QueryParameter = {
  name: "after",
  description: "The id of the last entry of the previous page.",
  schema: { type: "string" },
};

/** The order of a list. */
export function order(fallback: "asc" | "desc"): QueryParameter {
  const schema = { enum: ["asc", "desc"], default: fallback };
  return { name: "order", description: "`asc`: oldest first.", schema };
}

/** A parameter with a text. */
export function text(name: string, description: string): QueryParameter {
  return { name, description, schema: { type: "string" } };
}

/** A parameter with one of these words. */
export function word(name: string, description: string, words: readonly string[]): QueryParameter {
  return { name, description, schema: { enum: words } };
}

/** A parameter with a whole number. */
export function number(name: string, description: string, minimum = 0): QueryParameter {
  return { name, description, schema: { type: "integer", minimum } };
}

/** The answer to a deletion. */
export function deleted(object: string, idName = "id"): Answer {
  const schema = objectOf({
    [idName]: { type: "string" },
    object: { const: object },
    deleted: { const: true },
  });
  return { type: "json", schema };
}
