import { placeOf } from "./source-file.ts";
import { importsOf, type ArrowTable } from "./rules.ts";
import type { ResolvedImport, SourceFile, SourceTree } from "./source-tree.ts";

/**
 * Checks imports of packages by name: that the table allows them, as values or as types only, and
 * that the package exports the name. Files outside `packages/` may import every exported name.
 *
 * @returns a sentence for each problem, with file and line in front
 */
export function checkPackageImports(tree: SourceTree, table: ArrowTable): readonly string[] {
  return [...tree.files.values()].flatMap((file) =>
    file.imports.flatMap((reference) => {
      const problem = problemOf(tree, table, file, reference);
      if (problem === undefined) return [];
      return [`${file.path}:${reference.line} imports ${reference.specifier}: ${problem}`];
    }),
  );
}

function problemOf(
  tree: SourceTree,
  table: ArrowTable,
  file: SourceFile,
  { target, typesOnly }: ResolvedImport,
): string | undefined {
  if (target.type === "node") return nodeProblem(table, file);
  if (target.type !== "package") return undefined;
  const { packageName, path } = target;
  if (path === undefined) {
    const entries = tree.packages.get(packageName)?.join(", ");
    return `package "${packageName}" exports only ${entries}. Import one of these, or export the name there.`;
  }
  if (file.packageName === undefined) return undefined;
  if (file.packageName === packageName)
    return "a package imports its own files by relative path. Name the file that declares it.";
  // `checkTestImports` checks imports of test helpers.
  if (placeOf(path).role === "helper") return undefined;
  const imports = table[file.packageName]?.imports ?? {};
  const kind = imports[packageName];
  if (kind === undefined)
    return `package "${file.packageName}" may import ${importsOf(imports)}. Pass the value in, or declare it in a package that both may import.`;
  if (kind === "types" && !typesOnly)
    return `package "${file.packageName}" may import only types of "${packageName}". Write "import type", or pass the value in.`;
  return undefined;
}

function nodeProblem(table: ArrowTable, { packageName, role }: SourceFile): string | undefined {
  if (packageName === undefined || role === "test") return undefined;
  if (table[packageName]?.usesNode !== false) return undefined;
  return `package "${packageName}" must run without Node.js. Take the value through a port that the caller implements.`;
}
