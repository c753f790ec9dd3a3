import { z } from "zod";
import { issueError, isObject, RequestError, wrongType } from "../../http/errors.ts";

const name = z.string().max(512);

/** Texts that a client stores with a vector store. */
const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((fields) => Object.keys(fields).length <= 16, "Expected at most 16 members.");

/** Values of a file by which searches can filter. */
const attributes = z
  .record(z.string().min(1).max(64), z.union([z.string().max(512), z.number(), z.boolean()]))
  .refine((fields) => Object.keys(fields).length <= 16, "Expected at most 16 members.");

const chunking = z.discriminatedUnion("type", [
  z.object({ type: z.literal("auto") }),
  z.object({
    type: z.literal("static"),
    static: z.object({
      max_chunk_size_tokens: z.int().min(100).max(4_096),
      chunk_overlap_tokens: z.int().min(0),
    }),
  }),
]);

const expiry = z.object({ anchor: z.literal("last_active_at"), days: z.int().min(1).max(365) });
const fileId = z.string().min(1).max(200);

/** The maximum number of files of a batch. */
const maxBatch = 2_000;

/** The body of a request that creates a vector store. */
export const newStore = z.object({
  name: name.nullish(),
  description: name.nullish(),
  file_ids: z.array(fileId).max(500).nullish(),
  expires_after: expiry.nullish(),
  chunking_strategy: chunking.nullish(),
  metadata: metadata.nullish(),
});

/** The body of a request that changes a vector store. */
export const changedStore = z.object({
  name: name.nullish(),
  expires_after: expiry.nullish(),
  metadata: metadata.nullish(),
});

/** The body of a request that adds a file. */
export const addedFile = z.object({
  file_id: fileId,
  attributes: attributes.nullish(),
  chunking_strategy: chunking.nullish(),
});

/** The body of a request that changes a file. */
export const changedFile = z.object({ attributes: attributes.nullable() });

/** The body of a request that adds a batch of files. */
export const addedBatch = z.object({
  file_ids: z.array(fileId).min(1).max(maxBatch).nullish(),
  files: z.array(addedFile).min(1).max(maxBatch).nullish(),
  attributes: attributes.nullish(),
  chunking_strategy: chunking.nullish(),
});

/** The strategy for dividing a file, as a request gives it. */
export type GivenChunking = z.output<typeof chunking>;

/**
 * Returns a body after validation.
 *
 * @throws RequestError for an invalid or unknown field
 */
export function parseFields<S extends z.ZodObject>(schema: S, body: unknown): z.output<S> {
  if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(body).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new RequestError({
      code: "unknown_parameter",
      param: unknown.slice(0, 100),
      message: `Unknown parameter: '${unknown.slice(0, 100)}'. Known are: ${known.join(", ")}.`,
    });
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw issueError(result.error.issues, body, "");
}

const automatic = { maxTokens: 800, overlapTokens: 400 };

/**
 * Returns the size of the parts of a file.
 *
 * @throws RequestError if the overlap is more than half of a part
 */
export function chunkingOf(given: GivenChunking | null | undefined): typeof automatic {
  if (given?.type !== "static") return automatic;
  const { max_chunk_size_tokens: maxTokens, chunk_overlap_tokens: overlapTokens } = given.static;
  if (overlapTokens <= maxTokens / 2) return { maxTokens, overlapTokens };
  const param = "chunking_strategy.static.chunk_overlap_tokens";
  throw new RequestError({
    code: "invalid_value",
    param,
    message: `Invalid '${param}': the overlap can be at most half of max_chunk_size_tokens, ${Math.floor(maxTokens / 2)}.`,
  });
}
