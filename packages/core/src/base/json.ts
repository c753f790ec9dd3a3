/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** JSON Schema, draft-07 or 2020-12. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The arguments of a call, before a tool's types are known. */
export type ToolArgs = { readonly [key: string]: unknown };
