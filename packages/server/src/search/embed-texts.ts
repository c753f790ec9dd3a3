import type { ModelCatalog } from "@capstan/core/host";
import { type SmallVector, smallVector } from "./vector-code.ts";

/** Turns texts into vectors with the embedding model of the configuration. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /** @throws an error that says why there are no vectors */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly SmallVector[]>;
}

/** The texts of one request to the provider. */
const batchSize = 64;

/** Creates the embedder of a model. Its requests have at most 64 texts each. */
export function createEmbedder(model: string, embed: NonNullable<ModelCatalog["embed"]>): Embedder {
  return {
    model,
    async embed(texts, signal) {
      const vectors: SmallVector[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        const input = texts.slice(from, from + batchSize);
        const outcome = await embed({ model, fields: { input } }, signal);
        if (outcome.status === "unsupported") throw new Error(outcome.reason);
        const chunks: Uint8Array[] = [];
        for await (const chunk of outcome.body) chunks.push(chunk);
        vectors.push(...vectorsOf(Buffer.concat(chunks).toString(), input.length));
      }
      return vectors;
    },
  };
}

function vectorsOf(body: string, expected: number): readonly SmallVector[] {
  const { data = [] } = JSON.parse(body) as { readonly data?: readonly unknown[] };
  const vectors: SmallVector[] = [];
  for (const [position, entry] of data.entries()) {
    const { embedding, index = position } = entry as {
      readonly embedding?: unknown;
      readonly index?: number;
    };
    if (Array.isArray(embedding) && embedding.every(Number.isFinite))
      vectors[index] = smallVector(embedding as number[]);
  }
  const dimensions = vectors[0]?.length ?? 0;
  const isWhole =
    vectors.length === expected &&
    dimensions > 0 &&
    Array.from(vectors, (each) => each?.length).every((length) => length === dimensions);
  if (!isWhole) throw new Error("The embedding model did not return one vector for each text.");
  return vectors;
}
