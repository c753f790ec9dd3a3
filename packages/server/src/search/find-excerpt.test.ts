import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findExcerpt } from "./find-excerpt.ts";

const wanted = (phrase: string) => ({
  phrase,
  isWanted: (word: string) => phrase.split(" ").includes(word.toLowerCase()),
});

test("an excerpt is the text around the first match, with the position of each match", () => {
  const text = `${"filler ".repeat(40)}the Anchor chain and the anchor. ${"more ".repeat(60)}`;
  const found = findExcerpt(text, wanted("anchor"));
  assert.ok(found);
  assert.match(found.text, /^…filler .*the Anchor chain and the anchor\. .*…$/);
  assert.deepEqual(
    found.matches.map(([from, to]) => found.text.slice(from, to)),
    ["Anchor", "anchor"],
  );
});

test("if the text does not have the phrase, the words of the query are found one by one", () => {
  const found = findExcerpt("The chain of the anchor", wanted("anchor chain"));
  assert.deepEqual(found?.matches, [
    [4, 9],
    [17, 23],
  ]);
  assert.equal(findExcerpt("Nothing of it", wanted("anchor")), undefined);
});

test("every match is in the excerpt, in the order of the text", () => {
  const word = fc.constantFrom("anchor", "İstanbul", "x", "💥", "chain", "\n", "…");
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 200 }),
      fc.constantFrom("anchor", "x", "chain"),
      (words, phrase) => {
        const found = findExcerpt(words.join(" "), wanted(phrase));
        assert.equal(found === undefined, !words.includes(phrase));
        let last = 0;
        for (const [from, to] of found?.matches ?? []) {
          assert.equal(found?.text.slice(from, to).toLowerCase(), phrase);
          assert.ok(from >= last);
          last = to;
        }
        assert.ok((found?.text.length ?? 0) <= 202);
        assert.notEqual(found?.matches.length, 0);
      },
    ),
  );
});
