import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = import.meta.dirname;
const dist = join(root, "dist");
/** Stores a hash of the sources that the page was built from. */
const stamp = join(dist, ".sources");
/** Files with fewer bytes are not compressed. */
const smallestCompressed = 1_024;
const sources = [
  "src/**/*",
  // Packages whose code is bundled into the page.
  "../{client,core}/src/**/*",
  "public/**/*",
  "index.html",
  "vite.config.ts",
  "build.ts",
  "package.json",
];

/**
 * `fresh`: the built page matches its sources. `unavailable`: Vite is not installed, as after an
 * install without development dependencies; an older page is still served if there is one.
 */
export type WebBuild =
  | { readonly status: "fresh" | "built" }
  | { readonly status: "unavailable"; readonly hasPage: boolean };

/** Whether the page is missing, or older than its sources. */
export function isWebStale(): boolean {
  const digest = digestOfSources();
  return digest !== undefined && readStamp() !== digest;
}

/**
 * Builds the page if it is missing or older than its sources, and prints one line if it does.
 * Throws the build's error.
 *
 * @example await buildWebIfStale()
 */
export async function buildWebIfStale(): Promise<WebBuild> {
  const digest = digestOfSources();
  if (digest === undefined || readStamp() === digest) return { status: "fresh" };

  const vite = await import("vite").catch(noSuchModule);
  if (vite === undefined) {
    const hasPage = existsSync(join(dist, "index.html"));
    console.log(
      hasPage
        ? "The page is older than its sources, and Vite is not installed to build it: run `npm install`."
        : "There is no page: Vite, which builds it, is not installed. Run `npm install` with development dependencies.",
    );
    return { status: "unavailable", hasPage };
  }

  const started = performance.now();
  // The build goes to a temporary folder and is then renamed, so that a server never serves a
  // partial page.
  const made = join(root, `dist-${process.pid}`);
  try {
    await vite.build({
      root,
      configFile: join(root, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: made, emptyOutDir: true },
    });
    writeCompressed(made);
    writeFileSync(join(made, ".sources"), digest);
    moveIntoPlace(made, digest);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  console.log(`Built the page in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  return { status: "built" };
}

/** Writes a brotli and a gzip copy of each text file, for servers to send. */
function writeCompressed(folder: string): void {
  for (const file of globSync("**/*.{html,js,css,svg,json}", { cwd: folder })) {
    const content = readFileSync(join(folder, file));
    if (content.length < smallestCompressed) continue;
    writeFileSync(join(folder, `${file}.br`), brotliCompressSync(content));
    writeFileSync(join(folder, `${file}.gz`), gzipSync(content, { level: 9 }));
  }
}

/**
 * Another process may build the same page at the same time; the last one finds the page in place.
 */
function moveIntoPlace(made: string, digest: string): void {
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(made, dist);
  } catch (error) {
    if (readStamp() !== digest) throw error;
  }
}

/** Undefined if there are no sources: an installed package contains only the built page. */
function digestOfSources(): string | undefined {
  if (!existsSync(join(root, "src"))) return undefined;
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const hash = createHash("sha256");
  for (const file of files)
    hash.update(relative(root, file)).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}

function readStamp(): string | undefined {
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}

function noSuchModule(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_MODULE_NOT_FOUND") return undefined;
  throw error;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildWebIfStale();
}
