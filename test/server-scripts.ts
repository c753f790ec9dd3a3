import { basename, join } from "node:path";
import { root } from "../scripts/command.ts";

/** The environment variable with the folder of the bundles; not set if servers run from source. */
export const bundledServers = "CAPSTAN_TEST_SERVERS";

/** The `capstan` command. */
export const command = join(root, "packages/cli/src/main.ts");

/** Serves the tools of `fixtures/serve-toy-tools.ts` instead of the built-in ones. */
export const toyServer = join(root, "test/fixtures/serve-toy-tools.ts");

/** Runs one of the nodes of `test/breaking`. */
export const breakingNode = join(root, "test/breaking/node.ts");

/** Returns the bundle of a script, or the script if `npm test` has made no bundles. */
export function bundled(script: string): string {
  const folder = process.env[bundledServers];
  return folder === undefined ? script : join(folder, `${basename(script, ".ts")}.js`);
}
