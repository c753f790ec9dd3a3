import { LruCache } from "@capstan/core/host";
import type { SearchableTool } from "@capstan/core/search";

/** A vector; those of one model can be compared. */
type Vector = ArrayLike<number>;

/**
 * Turns texts into vectors.
 *
 * @throws an error that says why there are no vectors
 */
export type EmbedTexts = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly Vector[]>;

/** The maximum number of tools with vectors. Others are found by words only. */
const maxTools = 4_000;

/** The maximum number of cached vectors, of tools and queries. */
const maxVectors = maxTools + 1_000;

/** The number of characters of a tool that are embedded. */
const textChars = 500;

/** How long a search waits for vectors. After that it uses words only. */
const waitMs = 2_000;

/** How long a request for the vectors of new tools may take. */
const loadMs = 60_000;

/** How long no requests are sent to the embedding model after it failed. */
const pauseMs = 60_000;

interface NearestRequest {
  readonly tools: readonly SearchableTool[];
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Finds tools by the meaning of a task, with the vectors of an embedding model. */
export interface ToolVectors {
  /** Returns the nearest tools, or `undefined` if there are no vectors in time. */
  nearest(request: NearestRequest): Promise<readonly string[] | undefined>;
}

/** Creates the vectors of tools. They are requested when they are first needed, and cached. */
export function createToolVectors(embed: EmbedTexts): ToolVectors {
  const known = new LruCache<string, Vector>(maxVectors);
  let pausedUntil = 0;
  let loading: Promise<void> = Promise.resolve();

  async function load(texts: readonly string[]): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => known.get(text) === undefined);
    if (missing.length === 0 || Date.now() < pausedUntil) return;
    try {
      // Not the signal of a call: the vectors serve later searches too.
      const vectors = await embed(missing, AbortSignal.timeout(loadMs));
      for (const [index, text] of missing.entries()) {
        const vector = vectors[index];
        if (vector !== undefined) known.set(text, vector);
      }
    } catch {
      pausedUntil = Date.now() + pauseMs;
    }
  }

  return {
    async nearest({ tools: all, query, limit, signal }) {
      const tools = all.slice(0, maxTools);
      const texts = tools.map(textOf);
      // Searches at the same time do not request the same vectors twice.
      const loaded = (loading = loading.then(() => load([query, ...texts])));
      if (!(await isInTime(loaded, signal))) return undefined;
      const wanted = known.get(query);
      if (wanted === undefined) return undefined;
      const scored: { readonly id: string; readonly score: number }[] = [];
      for (const [index, { id }] of tools.entries()) {
        const vector = known.get(texts[index] ?? "");
        if (vector !== undefined) scored.push({ id, score: cosine(wanted, vector) });
      }
      return scored
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ id }) => id);
    },
  };
}

function textOf({ definition: { function: spec }, group }: SearchableTool): string {
  const title = group?.title ?? group?.name ?? "";
  return `${title} ${spec.name}: ${spec.description ?? ""}`.slice(0, textChars);
}

function cosine(a: Vector, b: Vector): number {
  let product = 0;
  let ofA = 0;
  let ofB = 0;
  for (let index = 0; index < a.length; index++) {
    const [x = 0, y = 0] = [a[index], b[index]];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : product / Math.sqrt(ofA * ofB);
}

async function isInTime(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), waitMs);
  const stop = (): void => resolve(false);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
