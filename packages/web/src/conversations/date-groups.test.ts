import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConversationState, ConversationView } from "@capstan/contract";
import type { ConversationEntry } from "../state/conversation-list.ts";
import { dateGroups } from "./date-groups.ts";

const noon = new Date(2026, 10, 27, 12).getTime();
const dayMs = 86_400_000;

function chat(id: string, days: number, state: ConversationState = "open"): ConversationEntry {
  return { id, object: "conversation", updated_at: noon - days * dayMs, state } as ConversationView;
}

const shown = (entries: readonly ConversationEntry[], now = noon) =>
  dateGroups(entries, now).map(({ title, entries: found }) => [
    title,
    found.map(({ id }) => id).join(" "),
  ]);

test("groups conversations by pin, day of the last change, and archive", () => {
  const damaged = { id: "damaged", object: "corrupt" } as ConversationEntry;
  const entries = [
    chat("pinned", 90, "pinned"),
    chat("now", 0),
    chat("yesterday", 1),
    chat("a week", 7),
    chat("more", 8),
    damaged,
    chat("a month", 30),
    chat("older", 40),
    chat("archived", 2, "archived"),
  ];
  assert.deepEqual(shown(entries), [
    ["Pinned", "pinned"],
    ["Today", "now"],
    ["Yesterday", "yesterday"],
    ["Previous 7 days", "a week"],
    ["Previous 30 days", "more damaged a month"],
    ["October 2026", "older"],
    ["Archived", "archived"],
  ]);
});

test("days begin at midnight, and a future time counts as today", () => {
  const early = new Date(2026, 10, 27, 0, 5).getTime();
  assert.deepEqual(shown([chat("ahead", -1)], early), [["Today", "ahead"]]);
  const late = { ...chat("late", 0), updated_at: early - 10 * 60_000 } as ConversationEntry;
  assert.deepEqual(shown([late], early), [["Yesterday", "late"]]);
});
