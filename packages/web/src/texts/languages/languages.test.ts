import assert from "node:assert/strict";
import { test } from "node:test";
import { languages, matchLanguage } from "./languages.ts";

const tagFor = (...wanted: string[]) => matchLanguage(wanted).tag;

test("the first wanted language that the page has is chosen, else English", () => {
  assert.equal(tagFor("fr-CA", "zh-CN", "en-US"), "zh-Hans");
  assert.equal(tagFor("zh", "en"), "zh-Hans");
  assert.equal(tagFor("en-GB", "zh-CN"), "en");
  assert.equal(tagFor("fr"), "en");
  assert.equal(tagFor(), "en");
});

test("a language in another script does not match, and invalid tags are skipped", () => {
  assert.equal(tagFor("zh-TW"), "en");
  assert.equal(tagFor("?", "", "zh-SG"), "zh-Hans");
});

test("each language has a name of its own, and English needs no download", () => {
  assert.equal(new Set(languages.map(({ name }) => name)).size, languages.length);
  assert.equal(languages.find(({ tag }) => tag === "en")?.load, undefined);
});
