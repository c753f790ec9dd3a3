import { architecturePage } from "../check-page.ts";
import { printTable } from "../print-table.ts";
import type { ArrowTable } from "../rules.ts";

/** A table of two packages: "app" may import "lib"; "lib" has three folders. */
export const smallTable: ArrowTable = {
  lib: {
    about: "a library",
    imports: {},
    usesNode: false,
    folders: { base: "basics", left: "one side", right: "the other side", ".": "the entry" },
    separate: [["left", "right"]],
  },
  types: { about: "types", imports: { lib: "types" }, usesNode: true, folders: { ".": "all" } },
  app: {
    about: "an app",
    imports: { lib: "values", types: "types" },
    usesNode: true,
    folders: { "views/parts": "parts", views: "views", ".": "the entry" },
  },
};

/**
 * Makes a small repository that follows the table: each package exports `.` and `./testing`, and
 * each of its folders holds one file, `a.ts`.
 *
 * @param files more files, or other texts, by path
 */
export function scratchTree(
  table: ArrowTable,
  files: { readonly [path: string]: string } = {},
): ReadonlyMap<string, string> {
  const texts = new Map([[architecturePage, `# Architecture\n\n${printTable(table)}\n`]]);
  for (const [name, { folders }] of Object.entries(table)) {
    const exports = { ".": "./src/a.ts", "./testing": "./src/testing/a.ts" };
    const manifest = { name: name === "cli" ? "capstan" : `@capstan/${name}`, exports };
    texts.set(`packages/${name}/package.json`, JSON.stringify(manifest));
    for (const folder of [...Object.keys(folders), "testing"])
      texts.set(`packages/${name}/src/${folder}/a.ts`.replace("/./", "/"), "export const a = 1;\n");
  }
  for (const [path, text] of Object.entries(files)) texts.set(path, text);
  return texts;
}
