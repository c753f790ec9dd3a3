import { type ConversationEntry, stateOf } from "../state/conversation-list.ts";
import { formatMonth } from "../texts/numbers/date.ts";
import { conversationsTexts } from "../texts/conversations.ts";

/** Conversations under one heading of the list. */
export interface ConversationGroup {
  readonly title: string;
  readonly entries: readonly ConversationEntry[];
}

const groups = conversationsTexts.groups;

/**
 * Divides conversations into the pinned ones, the archived ones, and the others by the day of their
 * last change, in the user's time zone. Omits groups without conversations.
 *
 * @param entries newest first within each state; a corrupt one stays in the group of its
 * predecessor
 * @param now ms since the epoch
 */
export function dateGroups(
  entries: readonly ConversationEntry[],
  now: number,
): readonly ConversationGroup[] {
  const titled = new Map<string, ConversationEntry[]>([[groups.pinned, []]]);
  const archived: ConversationEntry[] = [];
  let last: string = groups.today;
  for (const entry of entries) {
    const state = stateOf(entry);
    if (state === "archived") {
      archived.push(entry);
      continue;
    }
    if (state === "pinned") last = groups.pinned;
    else if (entry.object !== "corrupt") last = titleOfDay(entry.updated_at, now);
    const group = titled.get(last);
    if (group === undefined) titled.set(last, [entry]);
    else group.push(entry);
  }
  return [...titled, [groups.archived, archived] as const].flatMap(([title, found]) =>
    found.length === 0 ? [] : [{ title, entries: found }],
  );
}

function titleOfDay(at: number, now: number): string {
  const days = dayOf(now) - dayOf(at);
  if (days <= 0) return groups.today;
  if (days === 1) return groups.yesterday;
  if (days <= 7) return groups.week;
  if (days <= 30) return groups.month;
  return formatMonth(at);
}

/** The number of a day in the user's time zone. */
function dayOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}
