import { errorMessage } from "@capstan/core/host";
import type { ConversationRecord, Store } from "@capstan/store";
import type { DocumentReader } from "./document-reader.ts";
import { type Excerpt, findExcerpt, type Wanted } from "./find-excerpt.ts";
import { type MessageTexts, messageTexts } from "./message-texts.ts";
import { createPauses } from "./pauses.ts";

/** A conversation that a search found. */
export interface ConversationHit extends Excerpt {
  readonly conversation: ConversationRecord;
  /** The newest run with the words; null if the title has them. */
  readonly runId: string | null;
  readonly place: "title" | keyof MessageTexts;
}

/** The conversations that a search found. */
export interface FoundConversations {
  readonly hits: readonly ConversationHit[];
  /** Whether all conversations were searched. If not, a later search finds more. */
  readonly isComplete: boolean;
}

/** A search in the conversations of one user. */
export interface ConversationQuery {
  readonly owner: string;
  readonly text: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Searches conversations. */
export interface ConversationSearch {
  search(query: ConversationQuery): Promise<FoundConversations>;
  /** Stops indexing. */
  close(): Promise<void>;
}

/** How long a search waits for new runs to be indexed, in ms. Indexing continues after it. */
const patienceMs = 500;
/** The runs that one commit indexes. */
const runsAtOnce = 20;
/** The maximum number of different words of a query; further words are ignored. */
const maxWords = 16;
/** The maximum number of different words of a run. */
const maxRunWords = 5_000;
/** The maximum number of conversations whose titles are searched, last changed first. */
const maxTitles = 5_000;

/**
 * Creates the search. The first search after the end of a run indexes it, so users who never
 * search cause no work.
 */
export function createConversationSearch(parts: {
  readonly store: Store;
  readonly documents: Pick<DocumentReader, "words">;
  readonly log: (line: string) => void;
}): ConversationSearch {
  const { store, documents, log } = parts;
  const stopping = new AbortController();
  /** The indexing in progress, by user. */
  const indexing = new Map<string, Promise<boolean>>();

  /** @returns whether all ended runs of the user are indexed */
  async function indexRuns(owner: string): Promise<boolean> {
    const pause = createPauses();
    const tried = new Set<string>();
    /** The number of listed runs that were already tried, and cannot be indexed. */
    let left = 0;
    while (!stopping.signal.aborted) {
      const limit = runsAtOnce + left;
      const ids = await store.listUnindexedRuns({ owner, limit });
      const next = ids.filter((id) => !tried.has(id)).slice(0, runsAtOnce);
      left = ids.filter((id) => tried.has(id)).length;
      if (next.length === 0) {
        if (ids.length < limit) return true;
        continue;
      }
      const runs: { id: string; words: readonly string[] }[] = [];
      for (const id of next) {
        await pause();
        tried.add(id);
        const { user, assistant } = await messageTexts(store, { owner, runId: id }).catch(noTexts);
        const words = new Set(documents.words(`${user}\n\n${assistant}`));
        runs.push({ id, words: [...words].slice(0, maxRunWords) });
      }
      await store.write([{ type: "index-runs", owner, runs }]);
    }
    return false;
  }

  function index(owner: string): Promise<boolean> {
    const known = indexing.get(owner);
    if (known !== undefined) return known;
    const work = indexRuns(owner)
      .catch((thrown: unknown) => {
        log(`Cannot index conversations for the search: ${errorMessage(thrown)}`);
        return false;
      })
      .finally(() => indexing.delete(owner));
    indexing.set(owner, work);
    return work;
  }

  return {
    async search(query) {
      const isComplete = await withinTime(index(query.owner), query.signal);
      return { hits: await findHits(query, { store, documents }), isComplete };
    },
    async close() {
      stopping.abort();
      await Promise.all(indexing.values());
    },
  };
}

/** A run that cannot be read has no words, so it is not read again. */
const noTexts = (): MessageTexts => ({ user: "", assistant: "" });

async function withinTime(work: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), patienceMs);
  const stop = () => resolve(false);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

interface HitParts {
  readonly store: Store;
  readonly documents: Pick<DocumentReader, "words">;
}

async function findHits(query: ConversationQuery, parts: HitParts): Promise<ConversationHit[]> {
  const { owner, text, limit, signal } = query;
  const { store, documents } = parts;
  const terms = termsOf(text, documents);
  const wanted = wantedOf(text, terms, documents);
  const hits = await findTitles(query, { terms, wanted }, parts);
  const known = new Set(hits.map(({ conversation }) => conversation.id));
  const runs = await store.searchConversations({ owner, ...terms, limit: limit * runsPerHit });
  for (const { conversationId, runId } of runs) {
    if (hits.length >= limit) break;
    signal.throwIfAborted();
    if (known.has(conversationId)) continue;
    known.add(conversationId);
    const conversation = await store.getConversation({ owner, id: conversationId });
    if (conversation === undefined) continue;
    const texts = await messageTexts(store, { owner, runId }).catch(noTexts);
    const { place, excerpt } = bestExcerpt(texts, wanted);
    hits.push({ conversation, runId, place, ...excerpt });
  }
  return hits;
}

/** A conversation can have many runs with the words. */
const runsPerHit = 20;

interface Terms {
  readonly words: readonly string[];
  /** The beginning of the word that the user is typing. */
  readonly start?: string;
}

/**
 * Returns the words of a query. The last one is the beginning of a word, unless a space follows it.
 */
function termsOf(text: string, documents: HitParts["documents"]): Terms {
  const words = [...new Set(documents.words(text, { isQuery: true }))].slice(0, maxWords);
  const last = /[\p{L}\p{N}]$/u.test(text) ? words.at(-1) : undefined;
  return last === undefined ? { words } : { words: words.slice(0, -1), start: last };
}

function wantedOf(
  text: string,
  { words, start }: Terms,
  { words: wordsOf }: HitParts["documents"],
): Wanted {
  const exact = new Set(words);
  const isTerm = (word: string) =>
    exact.has(word) || (start !== undefined && word.startsWith(start));
  return { phrase: text.trim().toLowerCase(), isWanted: (word) => wordsOf(word).some(isTerm) };
}

/** Returns the conversations whose titles have all of the words, last changed first. */
async function findTitles(
  { owner, limit, signal }: ConversationQuery,
  { terms: { words, start }, wanted }: { readonly terms: Terms; readonly wanted: Wanted },
  { store, documents }: HitParts,
): Promise<ConversationHit[]> {
  const hits: ConversationHit[] = [];
  const pause = createPauses();
  let after: string | undefined;
  for (let read = 0; read < maxTitles && hits.length < limit;) {
    signal.throwIfAborted();
    const page = await store.listConversations({
      owner,
      limit: 500,
      ...(after !== undefined && { after }),
    });
    for (const entry of page.data) {
      if ("isCorrupt" in entry) continue;
      const of = documents.words(entry.title);
      const hasAll =
        words.every((word) => of.includes(word)) &&
        (start === undefined || of.some((word) => word.startsWith(start)));
      const excerpt = hasAll ? findExcerpt(entry.title, wanted) : undefined;
      if (excerpt !== undefined && hits.length < limit)
        hits.push({ conversation: entry, runId: null, place: "title", ...excerpt });
    }
    await pause();
    read += page.data.length;
    after = page.data.at(-1)?.id;
    if (!page.hasMore || after === undefined) break;
  }
  return hits;
}

function bestExcerpt(
  texts: MessageTexts,
  wanted: Wanted,
): { readonly place: keyof MessageTexts; readonly excerpt: Excerpt } {
  for (const place of ["user", "assistant"] as const) {
    const excerpt = findExcerpt(texts[place], wanted);
    if (excerpt !== undefined) return { place, excerpt };
  }
  return { place: "user", excerpt: { text: texts.user.slice(0, 200).toWellFormed(), matches: [] } };
}
