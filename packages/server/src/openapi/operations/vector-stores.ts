import {
  after,
  type Answer,
  deleted,
  limit,
  listSchema,
  objectOf,
  type Operations,
  order,
  type Schema,
  text,
  word,
} from "../schemas/operation.ts";

const string = { type: "string" };
const integer = { type: "integer" };
const nullableString = { type: ["string", "null"] };
const nullableInteger = { type: ["integer", "null"] };
const nullableObject = { type: ["object", "null"] };
const metadata = { type: "object", additionalProperties: string };
const attributes = {
  type: ["object", "null"],
  description: "Values by which searches can filter.",
  additionalProperties: { type: ["string", "number", "boolean"] },
};
const counts = objectOf({
  in_progress: integer,
  completed: integer,
  failed: integer,
  cancelled: integer,
  total: integer,
});
const chunking = {
  type: ["object", "null"],
  description: "How files are divided. Default: parts of 800 tokens that overlap by 400.",
  required: ["type"],
  properties: {
    type: { enum: ["auto", "static"] },
    static: objectOf({
      max_chunk_size_tokens: { type: "integer", minimum: 100, maximum: 4_096 },
      chunk_overlap_tokens: { type: "integer", minimum: 0 },
    }),
  },
};
const expiry = {
  type: ["object", "null"],
  required: ["anchor", "days"],
  properties: {
    anchor: { const: "last_active_at" },
    days: { type: "integer", minimum: 1, maximum: 365 },
  },
};

const store = objectOf({
  id: string,
  object: { const: "vector_store" },
  created_at: integer,
  name: nullableString,
  description: nullableString,
  usage_bytes: integer,
  file_counts: counts,
  status: { enum: ["expired", "in_progress", "completed"] },
  expires_after: expiry,
  expires_at: nullableInteger,
  last_active_at: integer,
  metadata,
});
const file = objectOf({
  id: string,
  object: { const: "vector_store.file" },
  usage_bytes: integer,
  created_at: integer,
  vector_store_id: string,
  status: { enum: ["in_progress", "completed", "failed", "cancelled"] },
  last_error: nullableObject,
  chunking_strategy: { type: "object" },
  attributes: { type: "object" },
});
const batch = objectOf({
  id: string,
  object: { const: "vector_store.files_batch" },
  created_at: integer,
  vector_store_id: string,
  status: { enum: ["in_progress", "completed", "cancelled"] },
  file_counts: counts,
});
const textPage = (object: string, item: Schema, more: { readonly [name: string]: Schema } = {}) =>
  answer(
    objectOf({
      object: { const: object },
      ...more,
      data: { type: "array", items: item },
      has_more: { type: "boolean" },
      next_page: nullableString,
    }),
  );
const textPart = objectOf({ type: { const: "text" }, text: string });

function answer(schema: Schema): Answer {
  return { type: "json", schema };
}

const before = text("before", "The id of the first entry of the following page.");
const page = [limit(100, 20), order("desc"), after, before];
const status = word("filter", "Only files with this status.", [
  "in_progress",
  "completed",
  "failed",
  "cancelled",
]);
const addedFile = {
  type: "object",
  required: ["file_id"],
  properties: { file_id: string, attributes, chunking_strategy: chunking },
};

/** Vector stores, their files, and batches of files. */
export const vectorStoreOperations: Operations = {
  "GET /v1/vector_stores": {
    summary: "List vector stores",
    query: page,
    answer: answer(listSchema(store)),
  },
  "POST /v1/vector_stores": {
    summary: "Create a vector store",
    description: "Its files are indexed in the background.",
    body: {
      type: "object",
      properties: {
        name: nullableString,
        description: nullableString,
        file_ids: { type: ["array", "null"], items: string, maxItems: 500 },
        expires_after: expiry,
        chunking_strategy: chunking,
        metadata: { ...metadata, type: ["object", "null"] },
      },
    },
    answer: answer(store),
  },
  "GET /v1/vector_stores/:id": { summary: "Read a vector store", answer: answer(store) },
  "POST /v1/vector_stores/:id": {
    summary: "Change a vector store",
    body: {
      type: "object",
      properties: {
        name: nullableString,
        expires_after: expiry,
        metadata: { ...metadata, type: ["object", "null"] },
      },
    },
    answer: answer(store),
  },
  "DELETE /v1/vector_stores/:id": {
    summary: "Delete a vector store",
    description: "Its files remain.",
    answer: deleted("vector_store.deleted"),
  },
  "POST /v1/vector_stores/:id/search": {
    summary: "Search a vector store",
    description: "Searches by words, and by vectors if an embedding model is configured.",
    body: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: ["string", "array"], items: string },
        rewrite_query: { type: ["boolean", "null"] },
        max_num_results: { type: ["integer", "null"], minimum: 1, maximum: 50, default: 10 },
        filters: {
          ...nullableObject,
          description: "A condition on the attributes of files, or several with `and` or `or`.",
        },
        ranking_options: {
          ...nullableObject,
          properties: {
            ranker: { enum: ["none", "auto", "default-2024-11-15", "default_2024_08_21", null] },
            score_threshold: { type: ["number", "null"], minimum: 0, maximum: 1 },
          },
        },
      },
    },
    answer: textPage(
      "vector_store.search_results.page",
      objectOf({
        file_id: string,
        filename: string,
        score: { type: "number" },
        attributes: { type: "object" },
        content: { type: "array", items: textPart },
      }),
      { search_query: { type: "array", items: string } },
    ),
  },
  "GET /v1/vector_stores/:id/files": {
    summary: "List the files of a vector store",
    query: [...page, status],
    answer: answer(listSchema(file)),
  },
  "POST /v1/vector_stores/:id/files": {
    summary: "Add a file to a vector store",
    body: addedFile,
    answer: answer(file),
  },
  "GET /v1/vector_stores/:id/files/:file": {
    summary: "Read a file of a vector store",
    answer: answer(file),
  },
  "POST /v1/vector_stores/:id/files/:file": {
    summary: "Change the attributes of a file of a vector store",
    body: objectOf({ attributes }),
    answer: answer(file),
  },
  "DELETE /v1/vector_stores/:id/files/:file": {
    summary: "Remove a file from a vector store",
    description: "The file itself remains.",
    answer: deleted("vector_store.file.deleted"),
  },
  "GET /v1/vector_stores/:id/files/:file/content": {
    summary: "Read the indexed text of a file",
    answer: textPage("vector_store.file_content.page", textPart),
  },
  "POST /v1/vector_stores/:id/file_batches": {
    summary: "Add a batch of files to a vector store",
    body: {
      type: "object",
      description: "Has either `file_ids` or `files`.",
      properties: {
        file_ids: { type: ["array", "null"], items: string, maxItems: 2_000 },
        files: { type: ["array", "null"], items: addedFile, maxItems: 2_000 },
        attributes,
        chunking_strategy: chunking,
      },
    },
    answer: answer(batch),
  },
  "GET /v1/vector_stores/:id/file_batches/:batch": {
    summary: "Read a batch of files",
    answer: answer(batch),
  },
  "POST /v1/vector_stores/:id/file_batches/:batch/cancel": {
    summary: "Cancel the files of a batch that are not indexed yet",
    answer: answer(batch),
  },
  "GET /v1/vector_stores/:id/file_batches/:batch/files": {
    summary: "List the files of a batch",
    query: [...page, status],
    answer: answer(listSchema(file)),
  },
};
