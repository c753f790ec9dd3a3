import assert from "node:assert/strict";
import { test } from "node:test";
import { readImports } from "./read-imports.ts";

/** The only import of a text. */
function only(text: string, path = "a.ts") {
  const imports = readImports(path, text);
  assert.equal(imports.length, 1, `one import in ${text}`);
  return imports[0];
}

const values = [
  'import { a } from "./x.ts";',
  'import a from "./x.ts";',
  'import * as a from "./x.ts";',
  'import "./x.ts";',
  'import { type A, b } from "./x.ts";',
  'export { a } from "./x.ts";',
  'export * from "./x.ts";',
  'export * as a from "./x.ts";',
  'const a = await import("./x.ts");',
  "const a = await import(`./x.ts`);",
  'new Worker(new URL("./x.ts", import.meta.url));',
  'new Worker(new URL("x.ts", import.meta.url));',
  'import text from "./x.ts?raw";',
];
for (const text of values)
  test(`a value import: ${text}`, () => {
    assert.deepEqual(only(text), { specifier: "./x.ts", line: 1, typesOnly: false });
  });

const types = [
  'import type { A } from "./x.ts";',
  'import type A from "./x.ts";',
  'import { type A, type B } from "./x.ts";',
  'export type { A } from "./x.ts";',
  'export type * from "./x.ts";',
  'type A = import("./x.ts").A;',
  'let a: typeof import("./x.ts");',
];
for (const text of types)
  test(`an import of types: ${text}`, () => {
    assert.deepEqual(only(text), { specifier: "./x.ts", line: 1, typesOnly: true });
  });

const none = [
  "const a = await import(name);",
  "const a = await import(`./${name}.ts`);",
  'new URL("./x.py", import.meta.url);',
  'new URL("https://example.org/x.ts", import.meta.url);',
  'new URL("./x.ts", base);',
  "export { a };",
  "// import { a } from './x.ts';",
  "const text = \"import { a } from './x.ts'\";",
];
for (const text of none)
  test(`no import: ${text}`, () => {
    assert.deepEqual(readImports("a.ts", text), []);
  });

test("lines are counted from 1, and imports are returned in source order", () => {
  const text = '\nimport "./b.ts";\n\nexport * from "./c.ts";\nimport "./d.ts";\n';
  assert.deepEqual(
    readImports("a.ts", text).map(({ specifier, line }) => `${specifier} ${line}`),
    ["./b.ts 2", "./c.ts 4", "./d.ts 5"],
  );
});

test("JSX is read", () => {
  const text = 'import { A } from "./x.ts";\nexport const b = () => <A>text</A>;\n';
  assert.equal(only(text, "a.tsx")?.specifier, "./x.ts");
});
