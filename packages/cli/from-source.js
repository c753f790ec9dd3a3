// Runs the `capstan` command from its sources. JavaScript, because the compile cache must be on before Node.js
// reads the first TypeScript file: with it, a start reads no TypeScript at all.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// In the repository, because others could put code into a shared temporary folder.
const cache = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));
enableCompileCache(cache);
// Worker threads turn on their own cache, by this variable.
process.env["NODE_COMPILE_CACHE"] ??= cache;
await import("./src/main.ts");
