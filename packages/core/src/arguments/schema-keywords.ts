/** Keywords whose members are named by the schema's author, so the names are no keywords. */
export const mapKeywords: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords that hold values and no schemas; what is in them is never read as a schema. */
export const valueKeywords: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "~refine",
]);

const legacyDrafts = /^https?:\/\/json-schema\.org\/draft-0[3-7]\/schema#?$/;

/** Draft-07 or older by its `$schema`: what stands beside a `$ref` is not heeded. */
export function isLegacySchema(schema: { readonly [key: string]: unknown }): boolean {
  return typeof schema["$schema"] === "string" && legacyDrafts.test(schema["$schema"]);
}

/** How deep a schema may nest. */
export const maxSchemaDepth = 200;
