import { isBuiltin } from "node:module";
import { dirname, join } from "node:path/posix";
import { readImports, type ImportReference } from "./read-imports.ts";
import { isSourcePath, placeOf, type FilePlace } from "./source-file.ts";

/** The target of an import. */
export type ImportTarget =
  /** A relative import; there may be no such source file. */
  | { readonly type: "file"; readonly path: string }
  /** An import of a package of this repository; `path` is undefined if it is not exported. */
  | { readonly type: "package"; readonly packageName: string; readonly path: string | undefined }
  /** A module of Node.js or Bun. */
  | { readonly type: "node" }
  /** An external package. */
  | { readonly type: "external" };

export interface ResolvedImport extends ImportReference {
  readonly target: ImportTarget;
}

export interface SourceFile extends FilePlace {
  readonly path: string;
  readonly imports: readonly ResolvedImport[];
}

interface Manifest {
  readonly name: string;
  readonly exports?: {
    readonly [entry: string]: string | { readonly [condition: string]: string };
  };
}

/** The source files of a repository with their imports. */
export interface SourceTree {
  readonly files: ReadonlyMap<string, SourceFile>;
  /** The folders under `packages/` that have a package.json, each with the entries it exports. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
}

/** Parses source files and resolves their imports. The texts include each package.json. */
export function sourceTree(texts: ReadonlyMap<string, string>): SourceTree {
  const packages = new Map<string, readonly string[]>();
  const entries = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [path, text] of texts) {
    const [, folder] = /^packages\/([^/]+)\/package\.json$/.exec(path) ?? [];
    if (folder === undefined) continue;
    const { name, exports = {} } = JSON.parse(text) as Manifest;
    names.set(name, folder);
    packages.set(folder, Object.keys(exports));
    for (const [entry, to] of Object.entries(exports)) {
      const source = typeof to === "string" ? to : (to["@capstan/source"] ?? to["default"] ?? "");
      entries.set(join(name, entry), join("packages", folder, source));
    }
  }
  const resolve = (from: string, specifier: string): ImportTarget => {
    if (specifier.startsWith(".")) return { type: "file", path: join(dirname(from), specifier) };
    const [, name = specifier] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
    const packageName = names.get(name);
    if (packageName !== undefined)
      return { type: "package", packageName, path: entries.get(specifier) };
    return { type: isBuiltin(specifier) || specifier.startsWith("bun:") ? "node" : "external" };
  };
  const files = new Map<string, SourceFile>();
  for (const [path, text] of texts) {
    if (!isSourcePath(path)) continue;
    const imports = readImports(path, text).map((reference) =>
      Object.assign(reference, { target: resolve(path, reference.specifier) }),
    );
    files.set(path, { path, ...placeOf(path), imports });
  }
  return { files, packages };
}

/**
 * Returns the source file that an import leads to, or undefined if it leads outside the repository.
 */
export function importedFile(tree: SourceTree, { target }: ResolvedImport): SourceFile | undefined {
  if (target.type !== "file" && target.type !== "package") return undefined;
  return target.path === undefined ? undefined : tree.files.get(target.path);
}
