import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { english } from "../testing/english.ts";
import { liveTexts, showCatalogue } from "./live-texts.ts";

afterEach(() => showCatalogue(undefined));

const other = {
  ...english,
  chat: { ...english.chat, stop: "x", stopped: { title: "Halt", advice: "" } },
  shortcuts: { ...english.shortcuts, close: "Zu" },
};

test("texts that were read before follow the language, also inner ones", () => {
  const chat = liveTexts("chat", english.chat);
  const inner = chat.stopped;
  assert.equal(inner.title, "You stopped this turn");
  showCatalogue(other);
  assert.equal(inner.title, "Halt");
  assert.deepEqual({ ...chat.stopped }, { title: "Halt", advice: "" });
  assert.equal(chat.stats.cost("5"), "cost: 5");
  showCatalogue(undefined);
  assert.equal(inner.title, "You stopped this turn");
});

test("lists and keys are those of the language", () => {
  const shortcuts = liveTexts("shortcuts", english.shortcuts);
  showCatalogue(other);
  assert.equal(shortcuts.close, "Zu");
  assert.equal(shortcuts.list.length, english.shortcuts.list.length);
  assert.deepEqual(Object.keys(shortcuts), Object.keys(english.shortcuts));
  assert.equal(Object.hasOwn(liveTexts("chat", english.chat).failures, "toString"), false);
});
