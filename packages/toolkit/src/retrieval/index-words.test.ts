import assert from "node:assert/strict";
import { test } from "node:test";
import { indexWords } from "./index-words.ts";

/** Returns whether a text has all words of a query. */
function finds(text: string, query: string): boolean {
  const words = new Set(indexWords(text));
  const wanted = indexWords(query, { isQuery: true });
  return wanted.length > 0 && wanted.every((word) => words.has(word));
}

for (const [text, query] of [
  ["Refund policies apply.", "refund policy"],
  ["Über die Größe", "uber die GROSSE".replace("SS", "ß")],
  ["naïve café", "naive cafe"],
  ["全文検索のための索引", "検索"],
  ["退款政策适用于所有订单", "退款政策"],
  ["東", "東"],
  ["한국어 문서를 찾습니다", "문서"],
  ["ﬁle №5 and ＡＢＣ", "file abc"],
  ["版本v2.0发布", "v2 发布"],
  ["Поиск по документам", "ПОИСК"],
] as const)
  test(`"${query}" finds "${text}"`, () => {
    assert.ok(finds(text, query));
  });

test("texts without the words of the query do not match", () => {
  assert.ok(!finds("退款政策", "政退"));
  assert.ok(!finds("status is less", "statu"));
  assert.ok(!finds("anything", '"* -() NEAR/'.replace("NEAR", "")));
});

test("indexed words consist of ASCII letters and digits, so that no database changes them", () => {
  const text = "a\"b c* NEAR(x) 漢字 ünï \0 \ud800 𠮷野家 1.5e3 foo_bar <tag> ' OR 1=1";
  for (const word of indexWords(text)) assert.match(word, /^[a-z0-9]+$/);
  assert.ok(indexWords("x".repeat(100_000)).every(({ length }) => length < 200));
});
