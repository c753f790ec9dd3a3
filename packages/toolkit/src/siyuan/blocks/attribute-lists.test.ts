import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hasIds,
  ownAttributes,
  plainText,
  withContainerText,
  withLeafText,
} from "./attribute-lists.ts";

const id = (name: string) => `20260101000000-${name}`;
const own = (name: string) => `{: id="${id(name)}" updated="20260101000000"}`;

test("attribute lists are removed, but not those in code", () => {
  assert.equal(plainText(`text\n${own("aaaaaaa")}`), "text");
  const code = `\`\`\`\n{: id="x"}\n* {: id="y"}z\n\`\`\``;
  assert.equal(plainText(`${code}\n${own("aaaaaaa")}`), code);
  assert.equal(plainText(`> quoted\n> ${own("bbbbbbb")}\n${own("aaaaaaa")}`), "> quoted");
  assert.equal(plainText(`1. ${own("ccccccc")}one\n   ${own("ddddddd")}`), "1. one");
  assert.equal(plainText(`{: not attributes}`), "{: not attributes}");
  assert.equal(plainText(`a {: id="x"} b`), `a {: id="x"} b`);
  assert.equal(plainText(`$$x$$\n${own("aaaaaaa")}\nmore\n${own("bbbbbbb")}`), "$$x$$\nmore");
});

test("ids in the model's text are found, but not those in code", () => {
  assert.ok(hasIds(`text\n${own("aaaaaaa")}`));
  assert.ok(hasIds(`* ${own("aaaaaaa")}item`));
  assert.ok(!hasIds('```\n{: id="20260101000000-aaaaaaa"}\n```'));
});

test("the attributes of a leaf follow the first of its blocks", () => {
  const list = own("aaaaaaa");
  assert.equal(withLeafText(`old\n${list}`, "one\nline\n\ntwo"), `one\nline\n${list}\n\ntwo`);
  assert.equal(withLeafText(`# old\n${list}`, "# new\ntext"), `# new\n${list}\ntext`);
  assert.equal(
    withLeafText(`\`\`\`\na\n\`\`\`\n${list}`, "```\na\n\nb\n```\n\nc"),
    `\`\`\`\na\n\nb\n\`\`\`\n${list}\n\nc`,
  );
});

test("paragraphs in a quote keep their attributes when lines are added or removed", async () => {
  const quote = `> one\n> two\n> ${own("aaaaaaa")}\n> \n> three\n> ${own("bbbbbbb")}\n${own("ccccccc")}`;
  const added = await withContainerText(quote, "> one\n> two\n> two and a half\n> \n> three");
  assert.equal(added, quote.replace("> two\n", "> two\n> two and a half\n"));
  const removed = await withContainerText(quote, "> one\n> \n> three");
  assert.equal(removed, quote.replace("> two\n", ""));
  assert.equal(await withContainerText(quote, plainText(quote)), quote);
});

test("the attributes of a removed item are removed, too", async () => {
  const list = `* ${own("aaaaaaa")}one\n\n  ${own("aaaaaab")}\n* ${own("bbbbbbb")}two\n\n  ${own("bbbbbbc")}\n${own("ccccccc")}`;
  const rest = await withContainerText(list, "* two");
  assert.ok(!rest.includes("aaaaaaa") && rest.includes(`* ${own("bbbbbbb")}two`), rest);
  assert.ok(rest.endsWith(own("ccccccc")));
});

test("the attributes that a user set are read with their quotes", () => {
  const kramdown = `text\n{: id="${id("aaaaaaa")}" custom-a="say &quot;x&quot;" updated="1" memo="m"}`;
  assert.deepEqual(ownAttributes(kramdown, id("aaaaaaa")), { "custom-a": 'say "x"', memo: "m" });
});

test("long runs of empty lines and very many changes are handled quickly", async () => {
  const text = `a${"\n".repeat(300_000)}b`;
  assert.equal(plainText(text), text);
  const lines = (word: string) => Array.from({ length: 1_500 }, (_, at) => `* ${word} ${at}`);
  await assert.rejects(
    withContainerText(lines("one").join("\n"), lines("two").join("\n")),
    /changes more than 1000 lines/,
  );
});
