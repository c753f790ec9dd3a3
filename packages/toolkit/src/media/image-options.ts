import type { RequestTool } from "@capstan/core";
import { hostedFamily } from "@capstan/core/host";
import { NetworkError } from "@capstan/sandbox";
import { z } from "zod";

/** The parameters that new and changed images share. Their names are those of OpenAI. */
export const imageShape = {
  size: z
    .string()
    .refine((size) => /^(?:auto|\d{2,4}x\d{2,4})$/.test(size), {
      error: "expected 1024x1536 or auto",
    })
    .optional()
    .describe('Width and height, "1024x1536", or "auto".'),
  quality: z
    .string()
    .refine((quality) => /^[a-z]{2,12}$/.test(quality), { error: "expected one word" })
    .optional()
    .describe('"low", "medium", "high" or "auto"; some services have others.'),
  background: z.enum(["auto", "transparent", "opaque"]).optional(),
  output_format: z.enum(["png", "jpeg", "webp"]).optional(),
  n: z.int().min(1).max(4).default(1).describe("The number of images."),
  partial_images: z
    .int()
    .min(0)
    .max(3)
    .default(0)
    .describe("How many unfinished images to show the user while it works."),
};

const shape = z.object(imageShape);
type ImageArgs = z.infer<typeof shape>;

/** The options of a request for images, for the service. */
export interface ImageOptions {
  readonly model: string;
  readonly partialImages: number;
  readonly options: { readonly [name: string]: string | number | undefined };
}

/** The options of the type `image_generation` in a request of the Responses API. */
const hostedOptions = z.object({
  model: z.string().optional(),
  size: z.string().optional(),
  quality: z.string().optional(),
  background: z.string().optional(),
  output_format: z.string().optional(),
  output_compression: z.number().optional(),
  moderation: z.string().optional(),
  partial_images: z.number().int().min(0).max(3).optional(),
  action: z.string().optional(),
});

const known = new Set([...Object.keys(hostedOptions.shape), "type"]);

/**
 * Returns the options of a call. Options that the request declares for its tool of the type
 * `image_generation` override the model's arguments.
 *
 * @throws NetworkError `unsupported_option` for an option that would have no effect
 */
export function imageOptions(
  args: ImageArgs,
  tool: RequestTool | undefined,
  defaultModel: string,
): ImageOptions {
  const isHosted = tool !== undefined && hostedFamily(tool.type) === "image_generation";
  const declared = isHosted ? readHosted(tool) : {};
  const { size, quality, background, output_format, n } = args;
  const { model = defaultModel, partial_images, ...options } = declared;
  const given = { size, quality, background, output_format, ...options };
  const partial = partial_images ?? args.partial_images;
  return {
    model,
    // Services stream one image only.
    partialImages: n === 1 ? partial : 0,
    options: { ...given, ...(n > 1 && { n }) },
  };
}

type HostedOptions = Omit<z.infer<typeof hostedOptions>, "action">;

function readHosted(tool: RequestTool): HostedOptions {
  const wanted = Object.fromEntries(
    Object.entries(tool).filter(([, value]) => value !== null && value !== undefined),
  );
  const unsupported = Object.keys(wanted).filter((name) => !known.has(name));
  if (wanted["action"] === "edit") unsupported.push("action: edit");
  if (unsupported.length > 0)
    throw failure(
      `The request's tool 'image_generation' has options that are not supported here: ${unsupported.join(", ")}. EditImage changes images.`,
    );
  const read = hostedOptions.safeParse(wanted);
  if (read.success) {
    const { action: _action, ...options } = read.data;
    return options;
  }
  const names = read.error.issues.map(({ path }) => path.join(".")).join(", ");
  throw failure(`The request's tool 'image_generation' has invalid values: ${names}.`);
}

function failure(message: string): NetworkError {
  return new NetworkError({ code: "unsupported_option", message });
}
