import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { API, SymbolFlags, type Symbol } from "typescript/unstable/sync";

/** An export of a package's entry point whose declaration has no docstring. */
export interface UndocumentedExport {
  /** The entry point as users import it: `@capstan/core/host`. */
  readonly entry: string;
  readonly name: string;
  /** The file of the declaration, from the root. */
  readonly file: string;
}

interface Manifest {
  readonly name: string;
  readonly exports?: { readonly [subpath: string]: { readonly "@capstan/source"?: string } };
}

/**
 * Returns the exports without a docstring of the packages' entry points: the files that the
 * `@capstan/source` conditions in `package.json` name. A re-export is documented by its declaration.
 *
 * @param root the repository's root, an absolute path
 * @param folders the packages' folders from the root, each with a `package.json` and a
 * `tsconfig.json`
 * @throws Error if an entry point is not part of its package's TypeScript project
 */
export function undocumentedExports(
  root: string,
  folders: readonly string[],
): readonly UndocumentedExport[] {
  const api = new API({ cwd: root });
  try {
    return folders.flatMap((folder) => undocumentedInPackage(api, root, join(root, folder)));
  } finally {
    api.close();
  }
}

function undocumentedInPackage(
  api: API,
  root: string,
  folder: string,
): readonly UndocumentedExport[] {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const tsconfig = join(folder, "tsconfig.json");
  const project = api.updateSnapshot({ openProjects: [tsconfig] }).getProject(tsconfig);
  if (project === undefined) throw new Error(`TypeScript cannot open ${tsconfig}.`);
  const { checker, program } = project;
  const declared = (symbol: Symbol): Symbol =>
    (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, conditions]) => {
    const source = conditions["@capstan/source"];
    if (source === undefined) return [];
    const file = program.getSourceFile(join(folder, source));
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined)
      throw new Error(`${join(folder, source)} is not a module of the project ${tsconfig}.`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = declared(exported);
      if (checker.getDocumentationCommentOfSymbol(symbol).trim() !== "") return [];
      const declaration = symbol.declarations[0]?.path ?? join(folder, source);
      return {
        entry: manifest.name + subpath.slice(1),
        name: exported.name,
        file: relative(root, declaration),
      };
    });
  });
}
