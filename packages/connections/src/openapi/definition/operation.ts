import type { JsonSchema } from "@capstan/core";

/** A part of a request that carries a parameter. */
export type ParameterPlace = "path" | "query" | "header" | "cookie";

/** The form in which a parameter's value is written. */
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  /** The value as JSON. */
  | "json";

/** A parameter of an operation. */
export interface OperationParameter {
  /** The name of the tool's argument. */
  readonly argument: string;
  /** The name in the request. */
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  /** Whether each item of a list, or each member of an object, is written separately. */
  readonly explode: boolean;
  /** Whether reserved characters stay as they are. */
  readonly allowReserved?: true;
}

/** The encoding of a field of a form. */
export interface FieldEncoding {
  readonly contentType?: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
}

/** The body of an operation's requests: the argument `body`. */
export interface OperationBody {
  readonly kind: "json" | "form" | "multipart" | "text" | "file";
  readonly contentType: string;
  /** The fields of a multipart form whose values name files. */
  readonly files?: readonly string[];
  /** The encoding of fields that differ from the default. */
  readonly encoding?: { readonly [field: string]: FieldEncoding };
}

/** A way to identify the caller to the service. */
export type SecurityScheme =
  | { readonly type: "apiKey"; readonly in: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "basic" }
  /** A token in the header `Authorization`: bearer, OAuth, OpenID Connect. */
  | { readonly type: "bearer" }
  /** A scheme that Capstan does not implement. */
  | { readonly type: "unsupported"; readonly name: string };

/** An operation of a document, as a tool. Plain JSON. */
export interface Operation {
  /** Method and path, which identify it in the document: `GET /pets/{petId}`. */
  readonly key: string;
  /** The document's name for it, or else the key. */
  readonly id: string;
  readonly toolName: string;
  readonly title?: string;
  readonly description: string;
  /** In upper case. */
  readonly method: string;
  /** The base URL without a slash at its end. */
  readonly server: string;
  readonly path: string;
  readonly tag?: string;
  readonly parameters: readonly OperationParameter[];
  readonly body?: OperationBody;
  /** The header that gets the call's idempotency key. */
  readonly idempotencyHeader?: string;
  /** Alternatives, each with the names of its schemes. Empty: no credentials. */
  readonly security: readonly (readonly string[])[];
  /** The schema of the arguments. Its references point to the `defs` of the operation list. */
  readonly input: JsonSchema;
  /** The schema of a successful JSON response. */
  readonly output?: JsonSchema;
  /** The digest of the whole definition, with all schemas and security schemes that it uses. */
  readonly digest: string;
}

/** The operations of a document, with the schemas that they share. Plain JSON. */
export interface OperationList {
  /** The server whose host gets the credentials. Empty if every operation names its own. */
  readonly server: string;
  readonly operations: readonly Operation[];
  readonly defs: { readonly [name: string]: JsonSchema };
  readonly schemes: { readonly [name: string]: SecurityScheme };
}

/** An operation list that was read from a document. */
export interface ReadOperations extends OperationList {
  readonly title: string;
  /** For users: each names an operation and its problem. */
  readonly notes: readonly string[];
}
