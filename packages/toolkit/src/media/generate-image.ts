import { contentParts, defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { serviceErrors } from "../service/reply-failure.ts";
import { countOf } from "../text/format-bytes.ts";
import { type DrawnImages, drawImages, type ImageAccess } from "./draw-images.ts";
import { imageOptions, imageShape } from "./image-options.ts";
import { returnMediaErrors } from "./return-media-errors.ts";

const parameters = z.object({
  prompt: z.string().min(1).max(32_000).describe("A detailed description of the image."),
  ...imageShape,
});

/** `GenerateImage`: new images from a text. */
export function generateImage(access: ImageAccess): Tool {
  return defineTool({
    name: "GenerateImage",
    description: "Draws images from a description. Returns them as files of this conversation.",
    parameters,
    // The tool has no side effects, but a repeated call costs money.
    effects: "read",
    idempotent: false,
    permission: { executionPolicy: "ask-once" },
    timeoutMs: 330_000,
    maxConcurrent: 4,
    declaredReturnType: { type: "a text and images" },
    examples: [
      {
        title: "A wide image with a transparent background.",
        args: {
          prompt: "A lighthouse at dusk, flat icon",
          size: "1536x1024",
          background: "transparent",
        },
      },
    ],
    errors: {
      ...serviceErrors,
      unsupported_option: "the request declares an option that has no effect here",
    },
    compressArgs: ({ prompt }) => prompt,
    execute: (args, context) =>
      returnMediaErrors(async () => {
        const { model, options, partialImages } = imageOptions(
          args,
          context.tool,
          access.service.model,
        );
        context.output.progress({ message: `Drawing with ${model}` });
        const order = { prompt: args.prompt, model, options, partialImages, images: [] };
        return imageResult(await drawImages(access, order, context), model);
      }, access.service.key),
  });
}

/** Returns images with a text about them. */
export function imageResult({ images, omitted }: DrawnImages, model: string) {
  const text = [
    `${countOf(images.length, "image")} of ${model}${images[0]?.size === undefined ? "" : `, ${images[0].size}`}.`,
    ...images.flatMap(({ revisedPrompt }) =>
      revisedPrompt === undefined ? [] : [`The service used the prompt: ${revisedPrompt}`],
    ),
    ...(omitted.length === 0
      ? []
      : [`The service does not support ${omitted.join(", ")}, which had no effect.`]),
  ].join("\n");
  return contentParts([{ type: "text", text }, ...images.map(({ part }) => part)]);
}
