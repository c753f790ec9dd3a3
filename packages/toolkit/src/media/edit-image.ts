import { defineTool, type Tool, toolError } from "@capstan/core";
import { z } from "zod";
import { pathErrors } from "../files/file-roots.ts";
import { serviceErrors } from "../service/reply-failure.ts";
import { drawImages, type ImageAccess } from "./draw-images.ts";
import { imageResult } from "./generate-image.ts";
import { imageOptions, imageShape } from "./image-options.ts";
import {
  type MediaSources,
  readSource,
  sourceErrors,
  sourceScope,
  sourceText,
  variablesOf,
} from "./media-source.ts";
import { returnMediaErrors } from "./return-media-errors.ts";

const parameters = z.object({
  prompt: z.string().min(1).max(32_000).describe("The changes, or a description of the new image."),
  images: z.array(z.string().min(1)).min(1).max(16).describe(`Each: ${sourceText}`),
  mask: z
    .string()
    .min(1)
    .optional()
    .describe("A PNG of the same size as the first image. Its transparent area is changed."),
  input_fidelity: z
    .enum(["low", "high"])
    .optional()
    .describe("How closely to keep the style and the faces of the images."),
  ...imageShape,
});

type Args = z.infer<typeof parameters>;

const largestImage = 50 * 1024 * 1024;
const largestMask = 4 * 1024 * 1024;
/** The maximum size of all images of a call, which are in memory together. */
const largestTotal = 64 * 1024 * 1024;

/** `EditImage`: changes images, or makes one of several. */
export function editImage(access: ImageAccess, sources: MediaSources): Tool {
  return defineTool({
    name: "EditImage",
    description:
      "Changes an image as a text describes, or combines several into one. The originals stay unchanged. Returns new files of this conversation.",
    parameters,
    effects: "read",
    idempotent: false,
    permission: {
      executionPolicy: "ask-once",
      grantScope: (args) =>
        sourceScope(sourcesOf(args), "images of this conversation and the readable folders"),
      readsVariables: (args) => variablesOf(sourcesOf(args)),
    },
    timeoutMs: 330_000,
    maxConcurrent: 4,
    declaredReturnType: { type: "a text and images" },
    examples: [
      {
        title: "Changes a picture of the readable folders.",
        args: { prompt: "Make the sky orange", images: ["pictures/harbour.png"] },
      },
    ],
    errors: { ...serviceErrors, ...sourceErrors, ...pathErrors },
    compressArgs: ({ prompt, images }) => `${images.join(", ").slice(0, 200)}: ${prompt}`,
    execute: (args, context) =>
      returnMediaErrors(async () => {
        const { model, options, partialImages } = imageOptions(
          args,
          context.tool,
          access.service.model,
        );
        context.output.progress({ message: "Reading the images" });
        const wanted = { kind: "image", maxBytes: largestImage } as const;
        const images = [];
        let total = 0;
        for (const source of args.images) {
          const image = await readSource(source, context, sources, wanted);
          total += image.bytes.length;
          if (!/^image\/(?:png|jpeg|webp)$/.test(image.mimeType))
            return toolError({
              code: "wrong_type",
              message: `"${image.name}" is ${image.mimeType}. Services change PNG, JPEG and WebP images.`,
            });
          if (total > largestTotal)
            return toolError({
              code: "too_large",
              message: "The images have more than 64 MB together. Use fewer or smaller ones.",
            });
          images.push(image);
        }
        const mask =
          args.mask === undefined
            ? undefined
            : await readSource(args.mask, context, sources, { ...wanted, maxBytes: largestMask });
        if (mask !== undefined && mask.mimeType !== "image/png")
          return toolError({
            code: "wrong_type",
            message: `The mask is ${mask.mimeType}. A mask is a PNG with a transparent area.`,
          });
        context.output.progress({ message: `Drawing with ${model}` });
        const { prompt, input_fidelity } = args;
        const order = {
          prompt,
          model,
          options: { ...options, input_fidelity },
          partialImages,
          images,
          ...(mask !== undefined && { mask }),
        };
        return imageResult(await drawImages(access, order, context), model);
      }, access.service.key),
  });
}

function sourcesOf({ images, mask }: Pick<Args, "images" | "mask">): readonly string[] {
  return [...images, ...(mask === undefined ? [] : [mask])];
}
