// Runs the `capstan` command from its sources. This file is JavaScript, because the compile cache must be
// enabled before Node.js loads the first TypeScript file. With the cache, a start parses no TypeScript.
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// The cache is in the repository, because other users could put code into a shared temporary folder.
const cache = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));
enableCompileCache(cache);
// This variable enables the cache in worker threads.
process.env["NODE_COMPILE_CACHE"] ??= cache;
await import("./src/main.ts");
