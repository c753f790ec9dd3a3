import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { frozenTexts, type Topics } from "./frozen-texts.ts";
import { literalTexts } from "./literal-texts.ts";

const source = join(import.meta.dirname, "../../src");
const files = globSync("**/*.{ts,tsx}", {
  cwd: source,
  exclude: (path) => path === "texts" || path.endsWith(".test.ts"),
});
const read = (file: string) => readFileSync(join(source, file), "utf8");

test("no component has a text outside of the catalogues", () => {
  assert.deepEqual(
    files.flatMap((file) => literalTexts(file, read(file))),
    [],
  );
});

test("the check finds texts in elements, attributes and expressions", () => {
  const text = `
    throw new Error("This is for developers.");
    const notice = "Could not save the file";
    const view = <p class="call row" title="Choose">Hello <kbd>Ctrl</kbd> {open ? "Hide the list" : ""}</p>;`;
  assert.deepEqual(literalTexts("a.tsx", text), [
    "a.tsx:3: Could not save the file",
    "a.tsx:4: Choose",
    "a.tsx:4: Hello",
    "a.tsx:4: Hide the list",
  ]);
});

test("no text is read only once, because it would stay in its first language", async () => {
  const topics: { [name: string]: unknown } = {};
  for (const file of globSync("*.ts", { cwd: join(source, "texts") }))
    Object.assign(topics, await import(join(source, "texts", file)));
  assert.deepEqual(
    files.flatMap((file) => frozenTexts(file, read(file), topics)),
    [],
  );
});

test("the check finds texts that are read when a module or a component starts", () => {
  const topics: Topics = { shellTexts: { copy: "Copy", form: { save: "Save" } } };
  const text = `
    import { shellTexts as texts } from "./shell.ts";
    const { form } = texts;
    const inner = texts.form;
    const frozen = inner.save;
    const label = () => texts.copy;
    function Part() { const word = texts.copy; return <p title={texts.copy}>{word}</p>; }`;
  assert.deepEqual(frozenTexts("a.tsx", text, topics), [
    "a.tsx:5: inner.save",
    "a.tsx:7: texts.copy",
  ]);
});
