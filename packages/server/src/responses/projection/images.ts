import type { CallResult } from "@capstan/core";
import { type InternedText, internText } from "./text-items.ts";
import { createItemWriter, type ItemWriter } from "./output-order.ts";
import type { ImageGenerationCallOutput } from "./wire.ts";

/**
 * Returns the writers of the images in a tool's result. The items have the type that clients show
 * as an image. Images that a result only names by URL have no item. A stored image whose file was
 * deleted has an item without content, so that later items keep their ids.
 *
 * @param options.which `unstored`: only images that are not stored as files, because clients can
 *   fetch the others by the ids in the call's text
 */
export function imageWriters(
  { parts = [] }: CallResult,
  { which }: { readonly which: "all" | "unstored" },
): readonly ItemWriter[] {
  return parts.flatMap((part) => {
    if (part.type !== "image" || part.source.type === "url") return [];
    if (which === "unstored" && part.fileId !== undefined) return [];
    const format = /^image\/(\w+)/.exec(part.mimeType)?.[1] ?? "png";
    const { source } = part;
    const data = source.type === "base64" ? internText(source.data) : undefined;
    return [createImageWriter(data, format)];
  });
}

function createImageWriter(data: InternedText | undefined, format: string): ItemWriter {
  return createItemWriter<ImageGenerationCallOutput>({
    kind: "server_call",
    prefix: "ig",
    phase: () => "ended",
    item: (id, status, isAdded) => ({
      id,
      type: "image_generation_call",
      status: isAdded ? "in_progress" : status,
      output_format: format,
      result: isAdded ? null : (data?.text ?? null),
    }),
    opened: (send) => send({ type: "response.image_generation_call.in_progress" }),
    closing: (send) => send({ type: "response.image_generation_call.completed" }),
  }).writer;
}
