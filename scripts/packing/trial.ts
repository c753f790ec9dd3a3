import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, runCommand, runNpm } from "../command.ts";
import { withoutSourceCondition } from "../source-condition.ts";
import type { PackedPackage } from "./pack.ts";
import type { Workspace } from "./workspaces.ts";

/**
 * Installs all tarballs into a new, empty project.
 *
 * @returns the project's folder.
 * @throws Error with npm's output.
 */
export async function installAll(
  packed: readonly PackedPackage[],
  parent: string,
): Promise<string> {
  const project = join(parent, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  const tarballs = packed.map(({ tarball }) => tarball);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const { code, output } = await runNpm([...args, ...tarballs], {
    cwd: project,
    env: withoutSourceCondition(),
  });
  if (code !== 0) throw new Error(`The packages do not install:\n${output}`);
  return project;
}

/** Runs a package's exports and commands as plain JavaScript, and returns the failures. */
export async function tryPackage(workspace: Workspace, project: string): Promise<string[]> {
  const imports = workspace.doors.map((door) => tryImport(door, project));
  const commands = workspace.commands.flatMap((command) => [
    tryCommand(command, "--help", project),
    tryCommand(command, "--version", project),
  ]);
  return (await Promise.all([...imports, ...commands])).filter((problem) => problem !== undefined);
}

async function tryImport(door: string, project: string): Promise<string | undefined> {
  const source = `
    const { pathname } = new URL(import.meta.resolve(${JSON.stringify(door)}));
    if (pathname.endsWith(".ts")) throw new Error("It resolves to a source: " + pathname);
    await import(${JSON.stringify(door)});
  `;
  return run(`import ${door}`, ["--input-type=module", "--eval", source], project);
}

async function tryCommand(
  command: string,
  argument: string,
  project: string,
): Promise<string | undefined> {
  return run(`${command} ${argument}`, [join("node_modules/.bin", command), argument], project);
}

async function run(
  what: string,
  args: readonly string[],
  cwd: string,
): Promise<string | undefined> {
  const env = withoutSourceCondition();
  const { code, output } = await runCommand(process.execPath, args, { cwd, env });
  return code === 0 ? undefined : `${what} failed with code ${code}:\n${output.trimEnd()}`;
}

/**
 * The entry points that a page can import. Their types must compile without the types of Node.js.
 */
const portableDoors = [
  "@capstan/core",
  "@capstan/core/host",
  "@capstan/core/base",
  "@capstan/core/testing",
  "@capstan/contract",
  "@capstan/client",
];

/** Compiles programs that import the entry points, with the packed declarations. */
export async function tryTypes(
  workspaces: readonly Workspace[],
  project: string,
): Promise<string[]> {
  const doors = workspaces.flatMap((workspace) => workspace.doors);
  const inNode = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const problems = [
    await compileImports("portable.ts", portableDoors, ["--types", ""], project),
    await compileImports("doors.ts", doors, inNode, project),
  ];
  return problems.filter((problem) => problem !== undefined);
}

async function compileImports(
  file: string,
  doors: readonly string[],
  types: readonly string[],
  project: string,
): Promise<string | undefined> {
  const lines = doors.map(
    (door, index) => `export * as door${index} from ${JSON.stringify(door)};`,
  );
  await writeFile(join(project, file), `${lines.join("\n")}\n`);
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"];
  const { code, output } = await runCommand(
    join(root, "node_modules/.bin/tsc"),
    [...options, ...types, file],
    { cwd: project },
  );
  return code === 0 ? undefined : `The packed types do not compile (${file}):\n${output}`;
}
