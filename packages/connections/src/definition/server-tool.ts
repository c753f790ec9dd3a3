import type { JsonSchema } from "@capstan/core";
import { digest } from "@capstan/core/host";

/** A tool as its server defines it, checked and without invisible characters. Plain JSON. */
export interface ServerTool {
  /** The server's own name, which its calls use. */
  readonly name: string;
  /** The name for models and users. */
  readonly safeName: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** The server's claims about the tool's effects. */
  readonly annotations: {
    readonly readOnly?: boolean;
    readonly idempotent?: boolean;
    readonly destructive?: boolean;
    readonly openWorld?: boolean;
  };
  /** The form of its requests, for operations of OpenAPI documents. */
  readonly request?: { readonly [key: string]: unknown };
  /** The digest of the server's whole definition, including the parts that are not shown. */
  readonly digest: string;
}

/** Returns the digest of a tool as its server defines it. Any change changes the digest. */
export function definitionDigest(raw: { readonly [key: string]: unknown }): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = raw;
  const definition = { name, title, description, inputSchema, outputSchema, annotations };
  return digest(JSON.parse(JSON.stringify(definition)));
}
