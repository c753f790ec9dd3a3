import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Configuration } from "../configuration/configuration.ts";
import { settingsFileName } from "../configuration/load-configuration.ts";

/** Files that Node.js and npm read to start or install the server, apart from its packages. */
const installed = [
  "node_modules",
  "scripts",
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  // npm runs the programs in its `node-options` and `script-shell` when it starts the server.
  ".npmrc",
];

/**
 * Returns the paths that code and scripts cannot change, whatever their roots: the configuration,
 * the folders of tools, the history of a repository, and the server's own programs.
 */
export function protectedPaths({
  roots,
  scripts,
  settingsFile,
}: Pick<Configuration, "roots" | "scripts" | "settingsFile">): readonly string[] {
  const packages = dirname(fileURLToPath(new URL("../..", import.meta.url)));
  const installation = dirname(packages);
  return [
    settingsFile,
    ...scripts.folders,
    ...roots.flatMap((root) => [join(root, settingsFileName), join(root, ".git")]),
    packages,
    ...installed.map((name) => join(installation, name)),
  ];
}
