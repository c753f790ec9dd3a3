import { Hono } from "hono";
import { type JsonObject, ModelError } from "@capstan/core";
import { z } from "zod";
import { chainFailure } from "../http/chain-failure.ts";
import { checked, isObject, RequestError, wrongType } from "../http/errors.ts";
import { readJson } from "../http/read-body.ts";
import type { Environment, Services } from "../http/services.ts";

/** The maximum number of inputs of one request, as at OpenAI. */
const maxInputs = 2_048;
const tokens = z.array(z.int().min(0)).min(1);

/** The fields of the body that the server reads. The provider receives all fields. */
export const embeddingSchema = z.object({
  model: z.string().min(1),
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(maxInputs),
    tokens,
    z.array(tokens).min(1).max(maxInputs),
  ]),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().min(1).nullish(),
  user: z.string().max(512).nullish(),
});

/** Routes of the OpenAI embeddings API. The provider of the model answers; nothing is stored. */
export function embeddingRoutes({ models }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.post("/", async (context) => {
    const body = await readJson(context);
    if (!isObject(body)) throw wrongType("request", "a JSON object", body ?? null);
    const { model } = checked(embeddingSchema, body, "");
    const { model: _model, ...fields } = body as JsonObject;
    const { signal } = context.req.raw;
    const request = { model, fields };
    const outcome = (await models.embed?.(request, signal).catch(upstreamError)) ?? noEmbeddings;
    if (outcome.status === "unsupported")
      throw new RequestError({
        code: "unsupported_value",
        param: "model",
        message: `Invalid 'model': ${outcome.reason}`,
      });
    return new Response(streamOf(outcome.body), {
      headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
    });
  });

  return routes;
}

const noEmbeddings = {
  status: "unsupported",
  reason: "This server offers no embeddings.",
} as const;

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next().catch(upstreamError);
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: () => void iterator.return?.(),
  });
}

function upstreamError(thrown: unknown): never {
  if (!ModelError.isInstance(thrown)) throw thrown;
  const { code, message, retryAfterMs } = thrown;
  throw chainFailure({
    code,
    message,
    phase: "model",
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
