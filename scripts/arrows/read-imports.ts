import { parseSync, Visitor, type Expression, type StaticExport } from "oxc-parser";
import { isSourcePath } from "./source-file.ts";

/** A reference from a source file to another file or package. */
export interface ImportReference {
  /** As written, without a query such as `?worker`; a URL gets `./` in front. */
  readonly specifier: string;
  /** Counted from 1. */
  readonly line: number;
  /** Whether the import is erased at run time: `import type`, `export type … from`, `import("x").Type`. */
  readonly typesOnly: boolean;
}

/**
 * Returns the imports of a source file: static and dynamic imports, re-exports, type queries, and
 * source files named by `new URL("./x.ts", import.meta.url)`. Only literal specifiers count.
 *
 * @param path determines the syntax: `.ts`, `.tsx` or `.js`
 */
export function readImports(path: string, text: string): readonly ImportReference[] {
  const result = parseSync(path, text);
  const found: ImportReference[] = [];
  const add = (specifier: string | undefined, start: number, typesOnly: boolean): void => {
    if (specifier === undefined) return;
    const line = text.slice(0, start).split("\n").length;
    found.push({ specifier: specifier.replace(/\?.*$/, ""), line, typesOnly });
  };
  const { staticImports, staticExports, dynamicImports } = result.module;
  for (const { moduleRequest, entries, start } of staticImports)
    add(moduleRequest.value, start, areTypes(entries));
  for (const { entries, start } of staticExports) add(requestOf(entries), start, areTypes(entries));
  for (const { moduleRequest, start } of dynamicImports)
    add(unquoted(text.slice(moduleRequest.start, moduleRequest.end)), start, false);
  // Parsing the syntax tree takes most of the time, and only two rare forms need it.
  if (/\bimport\s*\(/.test(text) || text.includes("new URL("))
    new Visitor({
      TSImportType: ({ source, start }) => add(source.value, start, true),
      NewExpression: ({ callee, arguments: args, start }) => {
        if (callee.type === "Identifier" && callee.name === "URL" && isImportMeta(args[1]))
          add(sourceUrl(args[0]), start, false);
      },
    }).visit(result.program);
  return found.toSorted((one, other) => one.line - other.line);
}

function areTypes(entries: readonly { readonly isType: boolean }[]): boolean {
  return entries.length > 0 && entries.every(({ isType }) => isType);
}

function requestOf(entries: StaticExport["entries"]): string | undefined {
  return entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest?.value;
}

/** The value of a literal without escapes, or undefined for any other expression. */
function unquoted(source: string): string | undefined {
  return /^(["'`])([^"'`\\$]*)\1$/.exec(source)?.[2];
}

function isImportMeta(argument: { readonly type: string } | undefined): boolean {
  if (argument?.type !== "MemberExpression") return false;
  const { object } = argument as Extract<Expression, { type: "MemberExpression" }>;
  return object.type === "MetaProperty";
}

function sourceUrl(argument: { readonly type: string } | undefined): string | undefined {
  if (argument?.type !== "Literal") return undefined;
  const { value } = argument as Extract<Expression, { type: "Literal" }>;
  if (typeof value !== "string" || value.includes(":") || !isSourcePath(value)) return undefined;
  return value.startsWith(".") ? value : `./${value}`;
}
