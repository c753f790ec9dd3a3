// Indexes 20,000 documents in a vector store, and searches it by words and vectors.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@capstan/core/host";
import { createVectorStores, smallVector } from "@capstan/server";
import { openStore, type SearchObject } from "@capstan/store";
import { documentText, indexWords, rankParts, splitText } from "@capstan/toolkit";
import { countedFigure, measuredFigure } from "../figure.ts";

const [documents, queries, dimensions] = [20_000, 200, 384];
const owner = "bench";

/** Numbers from 0 to 1 that are the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const random = randomOf(7);
const letters = "abcdefghijklmnopqrstuvwxyz";
const vocabulary = Array.from({ length: 30_000 }, () =>
  Array.from(
    { length: 3 + Math.floor(random() * 7) },
    () => letters[Math.floor(random() * 26)],
  ).join(""),
);
/** Frequent words first, as in a language. */
const word = () => vocabulary[Math.floor(vocabulary.length * random() ** 4)] ?? "";
const text = (words: number) => Array.from({ length: words }, word).join(" ");

/** Stands for a model, whose time is not measured: a vector from the digest of the text. */
function vectorOf(input: string): readonly number[] {
  const next = randomOf(createHash("sha256").update(input).digest().readUInt32LE());
  return Array.from({ length: dimensions }, () => next() - 0.5);
}

const embedder = {
  model: "bench/model",
  embed: async (texts: readonly string[]) => texts.map((each) => smallVector(vectorOf(each))),
};

const dataDir = await mkdtemp(join(tmpdir(), "capstan-search-"));
const store = await openStore({ dataDir, durability: "process" });
const stores = createVectorStores({
  store,
  documents: { read: documentText, split: splitText, words: indexWords, rank: rankParts },
  embedder,
  clock: systemClock,
  log: (line) => process.stderr.write(`${line}\n`),
});
try {
  const ids: string[] = [];
  for (let n = 0; n < documents; n += 100)
    ids.push(...(await Promise.all(Array.from({ length: 100 }, (_, k) => addFile(n + k)))));
  const data = {
    name: null,
    description: null,
    metadata: {},
    days: null,
    lastActiveAt: Date.now(),
  };
  await store.write([{ type: "save-vector-store", owner, id: "vs_bench", data, isNew: true }]);
  const chunking = { maxTokens: 800, overlapTokens: 400 };
  const file = { attributes: {}, chunking, error: null, embedding: null };
  const files = ids.map((fileId) => ({ fileId, data: file }));
  await store.write([{ type: "add-store-files", owner, storeId: "vs_bench", files }]);
  globalThis.gc?.();
  let memory = 0;
  const sampleMemory = () => {
    memory = Math.max(memory, process.memoryUsage().rss / 2 ** 20);
  };
  const sampling = setInterval(sampleMemory, 50);
  const sizeBefore = await sizeOf(dataDir);
  const began = performance.now();
  stores.wake();
  await stores.idle();
  const seconds = (performance.now() - began) / 1_000;
  clearInterval(sampling);
  sampleMemory();
  const disk = ((await sizeOf(dataDir)) - sizeBefore) / 2 ** 20;
  const found = await stores.find(owner, "vs_bench");
  if (found === undefined || found === "expired") throw new Error("The store is missing.");
  const first = performance.now();
  await search(found);
  const cold = performance.now() - first;
  const times: number[] = [];
  const usedBefore = process.cpuUsage();
  for (let n = 0; n < queries; n++) {
    const start = performance.now();
    await search(found);
    times.push(performance.now() - start);
  }
  const used = process.cpuUsage(usedBefore);
  const processorMs = (used.user + used.system) / 1_000 / queries;
  times.sort((a, b) => a - b);
  const label = (unit: string, work: string) => ({ case: work, subject: "capstan", unit });
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  process.stdout.write(
    JSON.stringify([
      measuredFigure(label("s", "index 20,000 documents"), [seconds]),
      countedFigure(label("MB", "index 20,000 documents: most memory"), Math.round(memory)),
      countedFigure(label("MB", "index 20,000 documents: disk"), Math.round(disk)),
      measuredFigure(label("ms", "hybrid search: first query"), [cold]),
      measuredFigure(label("ms", "hybrid search: p50"), [at(0.5)]),
      measuredFigure(label("ms", "hybrid search: processor time"), [processorMs]),
      measuredFigure(label("ms", "hybrid search: p99"), [at(0.99)]),
    ]),
  );
} finally {
  await stores.close();
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();

async function addFile(n: number): Promise<string> {
  const id = `file-${n}`;
  const bytes = new TextEncoder().encode(`# Document ${n}\n\n${text(100)}\n\n${text(100)}`);
  async function* pieces() {
    yield bytes;
  }
  const blob = await store.receiveBlob(pieces());
  await store.writeWithBlob(blob, {
    type: "create-file",
    file: {
      id,
      owner,
      name: `document-${n}.md`,
      mimeType: "text/markdown",
      purpose: "assistants",
      source: "upload",
    },
    blob: { sha256: blob.sha256, size: blob.size },
  });
  await blob.discard();
  return id;
}

async function search(found: SearchObject): Promise<void> {
  const { signal } = new AbortController();
  const query = text(3);
  const hits = await stores.search({ owner, stores: [found], queries: [query], limit: 10, signal });
  if (hits.length === 0) throw new Error(`Nothing was found for "${query}".`);
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder))
      .filter((name) => /\.db|\.sqlite|-wal$/.test(name))
      .map(async (name) => (await stat(join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
