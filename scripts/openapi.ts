// npm run openapi [-- --check]: writes the JSON Schemas of the HTTP API's types, which
// GET /openapi.json contains. --check only compares them with the file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./command.ts";
import { wireSchemas } from "./openapi/wire-schemas.ts";

const path = "packages/server/openapi-schemas.json";
const file = join(root, path);
const text = `${JSON.stringify(wireSchemas(), null, 1)}\n`;

if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error(`${path} does not match the types of the HTTP API. Run: npm run openapi`);
  process.exitCode = 1;
}
