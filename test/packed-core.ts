import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "vite";
import { root, runCommand } from "../scripts/command.ts";
import { pack, type PackedPackage } from "../scripts/packing/pack.ts";
import { readWorkspaces } from "../scripts/packing/workspaces.ts";

/** `@capstan/core` as it would be published, and a program that uses it. */
export interface PackedCore extends AsyncDisposable {
  readonly packed: PackedPackage;
  /** A project in which the tarball is installed. */
  readonly project: string;
  /** The program of the gate's cases with the library and all it imports, for a browser. */
  readonly bundle: Bundle;
}

export interface Bundle {
  readonly path: string;
  readonly code: string;
  /** Modules that the bundle still loads when it runs. */
  readonly imports: readonly string[];
}

const folder = join(root, "packages/core");
/**
 * Copies of the installed dependencies: this needs no network, and their versions are those of the
 * lockfile.
 */
const dependencies = ["typebox", "@noble/hashes", "zod"];

/**
 * Compiles core, packs it, installs the tarball in a fresh project and bundles the program with it
 * there. It uses a separate folder, so this repository's `dist` has no effect.
 */
export async function packCore(): Promise<PackedCore> {
  const temporary = await mkdtemp(join(tmpdir(), "capstan-packed-"));
  const source = join(temporary, "source");
  const project = join(temporary, "project");
  const installed = join(project, "node_modules/@capstan/core");
  await mkdir(installed, { recursive: true });
  await cp(folder, source, { recursive: true, filter: (path) => !/\/(?:dist|test)$/.test(path) });
  await must(join(root, "node_modules/.bin/tsc"), [
    "-p",
    folder,
    "--outDir",
    join(source, "dist"),
    "--tsBuildInfoFile",
    join(temporary, ".tsbuildinfo"),
  ]);
  const workspace = (await readWorkspaces()).find(({ name }) => name === "@capstan/core");
  if (workspace === undefined) throw new Error("There is no workspace @capstan/core.");
  const packed = await pack({ ...workspace, folder: source }, temporary);
  await must("tar", ["-xzf", packed.tarball, "-C", installed, "--strip-components=1"]);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  for (const name of dependencies) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "node_modules", name), link, "dir");
  }
  return {
    packed,
    project,
    bundle: await bundleProgram(project),
    [Symbol.asyncDispose]: () => rm(temporary, { recursive: true, force: true }),
  };
}

async function bundleProgram(project: string): Promise<Bundle> {
  await cp(join(root, "test/gate-cases"), join(project, "gate-cases"), { recursive: true });
  const outDir = join(project, "bundle");
  const built = await build({
    root: project,
    configFile: false,
    logLevel: "error",
    // Excludes the configuration of this repository.
    resolve: { conditions: ["browser", "import", "default"] },
    build: {
      outDir,
      minify: false,
      // Core imports its schema library at the first call.
      rolldownOptions: { output: { codeSplitting: false } },
      lib: { entry: "gate-cases/program.ts", formats: ["es"], fileName: () => "program.js" },
    },
  });
  const [output] = Array.isArray(built) ? built : [];
  const [program, ...others] = output?.output ?? [];
  if (program?.type !== "chunk" || others.length > 0)
    throw new Error("The bundle is not one file.");
  const { fileName, code, imports, dynamicImports } = program;
  // A module of this file that is imported at its first use is listed as this file.
  const loaded = [...imports, ...dynamicImports].filter((name) => name !== fileName);
  return { path: join(outDir, fileName), code, imports: loaded };
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${command} failed with code ${code}:\n${output}`);
}
