import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { root } from "../scripts/command.ts";
import { breakingNode, bundledServers, command, toyServer } from "./server-scripts.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";

const folder = join(root, "node_modules/.cache/servers");

/**
 * Bundles the servers that tests start, and sets the environment variable with which
 * `startServerProcess` uses the bundles. A start from the sources loads a thousand modules, which
 * takes a third of its processor time, or half if the compile cache is empty. Worker threads,
 * child processes and dependencies are not part of the bundles.
 */
export async function bundleServers(): Promise<void> {
  const bundle = await rolldown({
    input: [command, toyServer, breakingNode],
    cwd: root,
    platform: "node",
    logLevel: "warn",
    resolve: { conditionNames: ["@capstan/source", "node", "import", "default"] },
    external: (id, _importer, isResolved) =>
      !isResolved && !/^(?:[./]|capstan$|capstan\/|@capstan\/)/.test(id),
    plugins: [{ name: "source locations", transform: withSourceLocations }],
  });
  await rm(folder, { recursive: true, force: true });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  process.env[bundledServers] = folder;
  await fillCompileCache();
}

/** Modules find their workers and data files from their own location, which stays the source's. */
function withSourceLocations(code: string, id: string): string {
  const locations = {
    url: pathToFileURL(id).href,
    dirname: dirname(id),
    filename: id,
  };
  return code.replaceAll(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name: string) =>
    JSON.stringify(locations[name as keyof typeof locations]),
  );
}

/** Most tests kill their servers, and a killed process does not write its compiled code. */
async function fillCompileCache(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const at = resources.use(await createServerFolder());
  await (await startServerProcess({ folder: at })).stop();
}
