import type { ToolContext } from "@capstan/core";
import type { ImagePart } from "@capstan/core/host";
import { NetworkError } from "@capstan/sandbox";
import { z } from "zod";
import { download } from "../service/download.ts";
import {
  jsonOf,
  readBytes,
  type SendRequest,
  type ServiceReply,
} from "../service/service-client.ts";
import {
  askMediaService,
  eventFailure,
  type MediaService,
  reasonOf,
  unexpectedReply,
} from "./media-service.ts";
import type { MediaFile } from "./media-source.ts";
import { mediaType, pngSize } from "./media-type.ts";
import { readEvents } from "./read-events.ts";

/** The image service, and the HTTP clients for it and for the public web. */
export interface ImageAccess {
  readonly service: MediaService;
  readonly send: SendRequest;
  /** Downloads images that the service returns as a URL. */
  readonly sendPublic: SendRequest;
}

/** A request for images: new ones, or changed ones if `images` is not empty. */
export interface ImageOrder {
  readonly prompt: string;
  readonly model: string;
  readonly options: { readonly [name: string]: string | number | undefined };
  readonly partialImages: number;
  readonly images: readonly MediaFile[];
  readonly mask?: MediaFile;
}

/** An image that the service returned. */
export interface DrawnImage {
  readonly part: ImagePart;
  /** `1024x1024`, if known. */
  readonly size?: string;
  /** The prompt that the service used in place of the given one. */
  readonly revisedPrompt?: string;
}

/** The images of a reply, and the options that the service did not know. */
export interface DrawnImages {
  readonly images: readonly DrawnImage[];
  readonly omitted: readonly string[];
}

const largestImage = 64 * 1024 * 1024;

/**
 * Requests images. Partial images are reported as events of the call.
 *
 * @throws NetworkError
 */
export async function drawImages(
  access: ImageAccess,
  order: ImageOrder,
  context: ToolContext,
): Promise<DrawnImages> {
  const { prompt, model, options, partialImages, images, mask } = order;
  const isEdit = images.length > 0;
  const { reply, omitted } = await askMediaService(
    access,
    {
      path: isEdit ? "/images/edits" : "/images/generations",
      required: { model, prompt },
      optional: {
        ...options,
        ...(partialImages > 0 && { stream: true, partial_images: partialImages }),
      },
      together: [["stream", "partial_images"]],
      ...(isEdit && {
        files: [
          ...images.map((file) => ({ field: images.length > 1 ? "image[]" : "image", file })),
          ...(mask === undefined ? [] : [{ field: "mask", file: mask }]),
        ],
      }),
    },
    context,
  );
  const isStream = /text\/event-stream/i.test(reply.header("content-type") ?? "");
  const entries = isStream
    ? [await completedImage(reply, context)]
    : entriesOf(reply, jsonOf(Buffer.from(await readBytes(reply)).toString("utf8")));
  const drawn = await Promise.all(
    entries.map((entry, at) =>
      drawnImage(entry, entries.length > 1 ? `image-${at + 1}` : "image", reply, access, context),
    ),
  );
  return { images: drawn, omitted };
}

const entry = z.object({
  b64_json: z.string().nullish(),
  url: z.string().nullish(),
  revised_prompt: z.string().nullish(),
});
type Entry = z.infer<typeof entry>;

function entriesOf({ url }: ServiceReply, body: unknown): readonly Entry[] {
  const read = z.object({ data: z.array(entry).min(1) }).safeParse(body);
  if (read.success) return read.data.data;
  const reason = reasonOf(body);
  throw unexpectedReply(
    url.host,
    reason === undefined ? "returned no image" : `returned no image: ${reason.slice(0, 300)}`,
  );
}

const partialEvent = z.object({
  type: z.string().regex(/\.partial_image$/),
  b64_json: z.string(),
  partial_image_index: z.number().optional(),
});

/** Reads a stream until the final image. */
async function completedImage(reply: ServiceReply, context: ToolContext): Promise<Entry> {
  let count = 0;
  for await (const event of readEvents(reply.pieces)) {
    const { type } = event;
    const failed = eventFailure(event, reply);
    if (failed !== undefined) throw failed;
    const partial = partialEvent.safeParse(event);
    if (partial.success) {
      const { b64_json: data, partial_image_index: index = count } = partial.data;
      count += 1;
      const type = mediaType(Buffer.from(data.slice(0, 1024), "base64"));
      if (type?.kind !== "image") continue;
      const { mimeType } = type;
      context.output.event("image_generation.partial_image", {
        index,
        image: { type: "image", mimeType, source: { type: "base64", data } },
      });
      context.output.progress({ message: `Partial image ${count}` });
    }
    const whole = entry.safeParse(event);
    if (typeof type === "string" && type.endsWith(".completed") && whole.success) return whole.data;
  }
  throw new NetworkError({
    code: "service_failed",
    message: `The stream of ${reply.url.host} ended before the image was complete. Try again.`,
    retryable: true,
  });
}

async function drawnImage(
  { b64_json: encoded, url: address, revised_prompt: revisedPrompt }: Entry,
  name: string,
  { url }: ServiceReply,
  access: ImageAccess,
  context: ToolContext,
): Promise<DrawnImage> {
  const bytes = encoded
    ? Buffer.from(encoded.replace(/^data:[^,]*,/, ""), "base64")
    : await fetched(address ?? "", url, access, context);
  const type = mediaType(bytes);
  if (type?.kind !== "image") throw unexpectedReply(url.host, "returned data that is not an image");
  const size = pngSize(bytes);
  return {
    part: {
      type: "image",
      mimeType: type.mimeType,
      name: `${name}.${type.extension}`,
      source: { type: "base64", data: bytes.toString("base64") },
    },
    ...(size !== undefined && { size }),
    ...(revisedPrompt && { revisedPrompt }),
  };
}

async function fetched(
  address: string,
  service: URL,
  { send, sendPublic }: ImageAccess,
  context: ToolContext,
): Promise<Buffer> {
  const [, data] = /^data:[^,]*;base64,(.*)$/is.exec(address) ?? [];
  if (data !== undefined) return Buffer.from(data, "base64");
  const url = URL.parse(address, service);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw unexpectedReply(service.host, "returned neither an image nor its URL");
  // The service itself may be private, but an address that it returns must be public.
  const client = url.origin === service.origin ? send : sendPublic;
  const options = { service: url.host, context, maxBytes: largestImage, mayLeaveSite: true };
  return Buffer.from(await download(client, url, options));
}
