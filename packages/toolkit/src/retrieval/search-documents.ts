import {
  type Annotation,
  defineTool,
  type JsonObject,
  type Tool,
  type ToolContext,
  toolError,
  withAnnotations,
} from "@capstan/core";
import { readsAttachmentsOnly } from "@capstan/core/host";
import { type Busy, runInSlot } from "@capstan/sandbox";
import { z } from "zod";
import { canonicalPath, type FileToolsOptions, returnFileErrors } from "../files/file-roots.ts";
import { countOf } from "../text/format-bytes.ts";
import { createPauses } from "../text/pauses.ts";
import { folderDocuments, maxDocuments } from "./folder-documents.ts";
import { indexWords } from "./index-words.ts";
import type { GivenDocument, IndexedDocuments } from "./indexed-documents.ts";
import { WordRanking } from "./rank-by-words.ts";
import type { TextChunk } from "./split-text.ts";
import { rankParts } from "./rank-parts.ts";
import type { DocumentHit, StoredDocuments } from "./stored-documents.ts";

const parameters = z.object({
  query: z
    .string()
    .min(1)
    .max(16_384)
    .describe("The topic, in the words that the documents use. Several words are better than one."),
  path: z
    .string()
    .optional()
    .describe("A folder or file to search, relative to the root, instead of attached documents."),
  stores: z
    .array(z.string())
    .max(10)
    .optional()
    .describe("Ids of vector stores, vs_…. Default: the stores and files of this conversation."),
  maxResults: z.int().min(1).max(50).optional().describe("Default: 10."),
});

type Args = z.infer<typeof parameters>;

interface Found {
  readonly results: readonly DocumentHit[];
  /** Documents without searchable text, with the reasons. */
  readonly skipped: readonly string[];
}

export interface SearchOptions {
  readonly files: FileToolsOptions;
  readonly documents: IndexedDocuments;
  readonly stored: () => StoredDocuments | undefined;
  /**
   * The total number of characters after which a search reads no further document.
   * @default 20 million
   */
  readonly maxChars?: number;
}

/** `SearchDocuments`: finds passages in attached files, vector stores and folders. */
export function searchDocuments(options: SearchOptions): Tool {
  const canonical = canonicalPath(options.files);
  return defineTool({
    name: "SearchDocuments",
    description:
      "Finds passages in documents (PDF, Word, Excel, slides, e-books, web pages, text): attached files, vector stores, or a folder. Returns the best passages with file, page or lines, and score.",
    parameters,
    effects: "read",
    permission: {
      executionPolicy: "auto",
      canonicalArguments: ({ path, ...args }) =>
        path === undefined ? args : { ...args, ...canonical({ path }) },
    },
    compressArgs: ({ query, path }: Partial<Args>) =>
      path === undefined ? (query ?? "") : `${query} in ${path}`,
    declaredReturnType: {
      type: "{results: {document, fileId?, score, text, page?, startLine?, endLine?, heading?}[], skipped: string[]}",
    },
    examples: [{ title: "Search a folder", args: { query: "notice period", path: "contracts" } }],
    errors: {
      attachments_only: "The request offers the tool for its own files only.",
      nothing_to_search: "No document is attached, and the call names no folder or store.",
      empty_query: "The query has no word.",
      vector_store_not_found: "The user has no such vector store.",
      vector_store_expired: "The vector store has expired.",
      invalid_filters: "The request's filters are not valid.",
    },
    formatForLLM: format,
    execute: (args, context) => returnFileErrors(() => search(args, context, options)),
  });
}

async function search(args: Args, context: ToolContext, options: SearchOptions) {
  const { query } = args;
  const { output, signal, principal } = context;
  const settings = settingsOf(context.tool ?? {});
  const limit = args.maxResults ?? settings.limit ?? 10;
  const words = indexWords(query, { isQuery: true });
  if (words.length === 0)
    return toolError({
      code: "empty_query",
      message: "The query has no word. Give at least one word that the documents contain.",
    });
  if (readsAttachmentsOnly(context.tool) && (args.path ?? args.stores) !== undefined)
    return toolError({
      code: "attachments_only",
      message: 'Here only attached files can be searched. Call again without "path" and "stores".',
    });
  output.event("file_search.in_progress", { queries: [query] });
  const storeIds = args.stores ?? (args.path === undefined ? settings.storeIds : []);
  const stored = options.stored();
  const files = args.path === undefined && args.stores === undefined ? context.files : [];
  if (args.path === undefined && files.length === 0 && storeIds.length === 0)
    return toolError({
      code: "nothing_to_search",
      message:
        'This conversation has no documents. Give "path" to search a folder (ListFiles shows them), or ask the user to attach a document.',
    });
  if (storeIds.length > 0 && stored === undefined)
    return toolError({
      code: "vector_store_not_found",
      message: 'This server has no vector stores. Give "path" to search a folder.',
    });
  output.event("file_search.searching", {});
  const hits: DocumentHit[] = [];
  if (storeIds.length > 0 && stored !== undefined) {
    const { filters, minScore } = settings;
    const owner = principal.id;
    const found = await stored.search({ owner, storeIds, query, filters, limit, minScore, signal });
    if (found.status === "failed") return toolError(found);
    hits.push(...found.hits);
  }
  const documents =
    args.path === undefined
      ? attachedDocuments(context)
      : folderDocuments(options.files, { path: args.path, denied: context.denied(), signal });
  const local = await searchHere(documents, { words, limit, context, options });
  if ("status" in local)
    return toolError({
      code: "busy",
      message: "Too many searches are in the queue. Call again in a moment.",
      retryable: true,
    });
  hits.push(...local.results.filter(({ score }) => score >= settings.minScore));
  const results = hits.toSorted((a, b) => b.score - a.score).slice(0, limit);
  output.event("file_search.completed", { results: results.map(hitEvent) });
  const cited = new Map(results.map((hit) => [hit.fileId ?? hit.document, hit]));
  const annotations = [...cited.values()].flatMap(({ fileId, document }): Annotation[] =>
    fileId === undefined ? [] : [{ type: "file_citation", fileId, filename: document }],
  );
  const value: Found = { results, skipped: local.skipped };
  return annotations.length === 0 ? value : withAnnotations(value, annotations);
}

/** The maximum number of searches at once, of all users. Each has its documents in memory. */
const atOnce = 2;

type LocalDocument = GivenDocument & { readonly fileId?: string };

interface LocalSearch {
  readonly words: readonly string[];
  readonly limit: number;
  readonly context: ToolContext;
  readonly options: SearchOptions;
}

/** Indexes documents in memory and searches them. */
async function searchHere(
  documents: AsyncIterable<LocalDocument>,
  search: LocalSearch,
): Promise<Found | Busy> {
  const { principal, signal } = search.context;
  const slot = { pool: "SearchDocuments", atOnce, user: principal.id, signal };
  return runInSlot(slot, () => searchNow(documents, search));
}

async function searchNow(
  documents: AsyncIterable<LocalDocument>,
  { words, limit, context: { output, principal, signal }, options }: LocalSearch,
): Promise<Found> {
  const ranking = new WordRanking<TextChunk & { readonly from: LocalDocument }>(words);
  const pause = createPauses();
  const skipped: string[] = [];
  const { maxChars = 20_000_000 } = options;
  let count = 0;
  let chars = 0;
  for await (const from of documents) {
    if (chars > maxChars) {
      skipped.push(
        `all documents after the first ${count}, which have ${chars} characters; search a smaller folder`,
      );
      break;
    }
    if (count === maxDocuments) {
      skipped.push(`all documents after the first ${maxDocuments}; search a smaller folder`);
      break;
    }
    count += 1;
    const indexed = await options.documents.index(from, {
      user: principal.id,
      signal,
    });
    if (indexed.status === "indexed")
      for (const { words: hashes, ...chunk } of indexed.chunks) {
        ranking.add({ ...chunk, from }, hashes);
        chars += chunk.text.length;
        await pause();
      }
    else skipped.push(`${from.name}: ${indexed.reason}`);
    if (count % 50 === 0) output.progress({ message: `${countOf(count, "document")} read` });
  }
  const ranked = ranking.ranked().slice(0, 100);
  const scored = rankParts(
    ranked.map((part, textRank) => ({ ...part, textRank })),
    words,
  );
  const results = scored.slice(0, limit).map(({ part: { text, place, from }, score }) => ({
    document: from.name,
    ...(from.fileId !== undefined && { fileId: from.fileId }),
    score,
    text,
    ...place,
  }));
  return { results, skipped: skipped.slice(0, 20) };
}

async function* attachedDocuments({ files, signal }: ToolContext) {
  for (const file of files) {
    if (file.mimeType.startsWith("image/") || file.mimeType.startsWith("audio/")) continue;
    yield {
      name: file.name,
      mimeType: file.mimeType,
      ...(file.id !== undefined && { fileId: file.id, key: `file ${file.id}` }),
      read: async () => file.read(signal),
    };
  }
}

/** Returns the options of the request's entry for `file_search`. */
function settingsOf(tool: JsonObject) {
  const { vector_store_ids: ids, max_num_results: limit, ranking_options: ranking } = tool;
  const threshold =
    typeof ranking === "object" && ranking !== null && "score_threshold" in ranking
      ? ranking["score_threshold"]
      : undefined;
  return {
    storeIds: Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [],
    limit: typeof limit === "number" && limit >= 1 && limit <= 50 ? Math.trunc(limit) : undefined,
    filters: tool["filters"] ?? undefined,
    minScore: typeof threshold === "number" ? threshold : 0,
  };
}

function hitEvent({ document, fileId, text, score, attributes }: DocumentHit) {
  return {
    file: document,
    ...(fileId !== undefined && { fileId }),
    text,
    score,
    ...(attributes && { attributes }),
  };
}

function format({ results, skipped }: Found): string {
  const notes = skipped.length === 0 ? [] : [`Not searched: ${skipped.join("; ")}.`];
  if (results.length === 0)
    return ["No passage has these words. Try other words, or fewer.", ...notes].join("\n");
  const passages = results.map((hit, index) => {
    const source = `[${index + 1}] ${hit.document}, ${placeOf(hit)} (score ${hit.score.toFixed(2)})`;
    return `${source}\n${hit.text}`;
  });
  return [...passages, ...notes].join("\n\n");
}

function placeOf({ page, startLine, endLine }: DocumentHit): string {
  if (page !== undefined) return `page ${page}`;
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
}
