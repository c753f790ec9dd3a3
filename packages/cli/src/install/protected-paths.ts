import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
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

/** The parts of a Python environment, besides its folder of programs, that its Python executes. */
const environmentParts = ["lib", "lib64", "Lib", "conda-meta", "pyvenv.cfg"];

/**
 * Returns the paths that code and scripts can never change, whatever their roots: the
 * configuration, the folders of tools and skills, the history of a repository, and the server's own programs.
 * The folders in which the server looks for other programs are also among them, because the server
 * runs these programs outside the sandbox.
 *
 * @param path the folders of programs, as in `PATH`. @default process.env.PATH
 */
export function protectedPaths(
  {
    roots,
    scripts,
    skills = [],
    settingsFile,
  }: {
    readonly scripts: Pick<Configuration["scripts"], "folders"> & Partial<Configuration["scripts"]>;
    readonly skills?: Configuration["skills"];
  } & Pick<Configuration, "roots" | "settingsFile">,
  path: string = process.env["PATH"] ?? "",
): readonly string[] {
  const packages = dirname(fileURLToPath(new URL("../..", import.meta.url)));
  const installation = dirname(packages);
  const interpreters = [scripts.python, scripts.powershell].filter((each) => each !== undefined);
  const programs = [...path.split(delimiter), ...interpreters.map((each) => dirname(each))];
  return [
    settingsFile,
    ...scripts.folders,
    ...skills,
    ...roots.flatMap((root) => [join(root, settingsFileName), join(root, ".git")]),
    packages,
    ...installed.map((name) => join(installation, name)),
    ...new Set(programs.filter((folder) => isAbsolute(folder)).flatMap(withEnvironment)),
  ];
}

/** Returns a folder of programs, with the other parts of its Python environment if it has one. */
function withEnvironment(folder: string): readonly string[] {
  const environment = dirname(folder);
  const isPython = ["pyvenv.cfg", "conda-meta"].some((name) => existsSync(join(environment, name)));
  return [folder, ...(isPython ? environmentParts.map((name) => join(environment, name)) : [])];
}
