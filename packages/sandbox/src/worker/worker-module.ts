/** Returns the URL of a module next to the caller, in source and when built. */
export function workerModule(name: string, importer: string): URL {
  return new URL(`./${name}.${importer.endsWith(".ts") ? "ts" : "js"}`, importer);
}
