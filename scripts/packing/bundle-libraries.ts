import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { root } from "../command.ts";

/** The packages with libraries, and the dependencies that their bundles import. */
const packages: { readonly [name: string]: readonly RegExp[] } = {
  cli: [],
  toolkit: [],
  // Other code of the package also uses it.
  server: [/^zod(?:\/|$)/],
  connections: [/^zod(?:\/|$)/],
};

/** Bundles the libraries of all packages. */
export async function bundleLibraries(): Promise<void> {
  for (const [name, external] of Object.entries(packages))
    await bundlePackage(join(root, "packages", name, "dist/libraries"), external);
}

/**
 * Replaces the built modules of a package's `libraries` with the code of the libraries that they
 * export, so that an install does not contain the unused files of these libraries. Writes the
 * licences of the libraries next to them.
 */
async function bundlePackage(folder: string, external: readonly RegExp[]): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  const used = new Set<string>();
  for (const file of files) {
    const path = join(folder, file);
    const bundle = await rolldown({
      input: path,
      platform: "node",
      logLevel: "warn",
      external: [...external],
    });
    const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
    await bundle.close();
    const [chunk] = output;
    for (const module of chunk.moduleIds)
      if (module.includes("node_modules")) used.add(packageFolder(module));
    await writeFile(path, chunk.code);
  }
  // This library's file for browsers contains its dependencies.
  const mathjs = join(root, "node_modules/mathjs");
  if (used.has(mathjs))
    for (const name of Object.keys((await manifestOf(mathjs)).dependencies ?? {}))
      used.add(join(root, "node_modules", name));
  const licences = await Promise.all([...used].toSorted().map(licenceOf));
  await writeFile(join(folder, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
}

/** Returns the folder of the package that a module belongs to. */
function packageFolder(module: string): string {
  const match = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module.replace(/^\0/, ""));
  return match?.[0] ?? dirname(module);
}

/** @throws Error if the package has neither a licence's text nor its name */
async function licenceOf(path: string): Promise<string> {
  const { name, version, license } = await manifestOf(path);
  const files = (await readdir(path)).filter((one) => /^(?:licen[cs]e|notice)(?:\.|$)/i.test(one));
  if (files.length === 0 && license === undefined)
    throw new Error(`${relative(root, path)} names no licence.`);
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), "utf8")));
  return `${name} ${version} (${license ?? "see below"})\n\n${texts.join("\n")}\n`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function manifestOf(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(path, "package.json"), "utf8")) as Manifest;
}
