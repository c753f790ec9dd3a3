import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import { badRequest, checked, wrongType } from "../../http/errors.ts";
import { metadata, objectBody, rejectUnknown } from "./fields.ts";
import type { Attachment } from "./tool-resources.ts";

/** A message that a client adds to a thread, as it is stored. */
export interface CreatedMessage {
  readonly type: "created";
  readonly role: "user" | "assistant";
  /** The content as the API shows it. */
  readonly content: readonly JsonObject[];
  readonly attachments: readonly Attachment[];
  readonly metadata: { readonly [key: string]: string };
}

/** The longest text of a message, in characters. */
const maxText = 256_000;

const detail = z.enum(["auto", "low", "high"]).nullish();
const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("image_file"),
    image_file: z.object({ file_id: z.string().min(1).max(100), detail }),
  }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string(), detail }) }),
]);

const message = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.unknown(),
  attachments: z
    .array(
      z.object({
        file_id: z.string().min(1).max(100),
        tools: z.array(z.object({ type: z.enum(["code_interpreter", "file_search"]) })).nullish(),
      }),
    )
    .max(20)
    .nullish(),
  metadata,
});

/**
 * Parses a message of a thread.
 *
 * @param at its path in the request; empty if it is the whole request
 * @throws RequestError with the path of the invalid field
 */
export function parseMessage(given: unknown, at = ""): CreatedMessage {
  const body = at === "" ? objectBody(given) : given;
  const { role, content, attachments, metadata: added } = checked(message, body, at);
  rejectUnknown(body as object, message.shape, { at });
  return {
    type: "created",
    role,
    content: parseContent(content, at === "" ? "content" : `${at}.content`),
    attachments: (attachments ?? []).map(({ file_id: id, tools }) => ({
      file_id: id,
      tools: tools ?? [],
    })),
    metadata: added ?? {},
  };
}

/** Parses a list of messages. @throws RequestError */
export function parseMessages(given: unknown, at: string): readonly CreatedMessage[] {
  if (given == null) return [];
  if (!Array.isArray(given)) throw wrongType(at, "an array of messages", given);
  if (given.length > 1_000)
    throw badRequest(at, `Invalid '${at}': got ${given.length} messages. Send at most 1000.`);
  return (given as readonly unknown[]).map((each, index) => parseMessage(each, `${at}[${index}]`));
}

/** Returns the ids of the files that a message names. */
export function fileIdsOf({ content, attachments }: CreatedMessage): readonly string[] {
  return [
    ...content.flatMap((each) => {
      const image = each["image_file"] as { readonly file_id: string } | undefined;
      return image === undefined ? [] : [image.file_id];
    }),
    ...attachments.map(({ file_id: id }) => id),
  ];
}

function parseContent(given: unknown, at: string): readonly JsonObject[] {
  if (typeof given === "string") return [textBlock(given, at)];
  if (!Array.isArray(given)) throw wrongType(at, "a string or an array of content parts", given);
  if (given.length === 0) throw badRequest(at, `Invalid '${at}': send at least one content part.`);
  if (given.length > 100)
    throw badRequest(at, `Invalid '${at}': got ${given.length} parts. Send at most 100.`);
  return (given as readonly unknown[]).map((each, index) => parsePart(each, `${at}[${index}]`));
}

function parsePart(given: unknown, at: string): JsonObject {
  const parsed = checked(part, given, at);
  switch (parsed.type) {
    case "text":
      return textBlock(parsed.text, `${at}.text`);
    case "image_file": {
      const { file_id: id, detail: wanted } = parsed.image_file;
      return { type: "image_file", image_file: { file_id: id, detail: wanted ?? "auto" } };
    }
    case "image_url": {
      const { url, detail: wanted } = parsed.image_url;
      if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
        throw badRequest(
          `${at}.image_url.url`,
          `Invalid '${at}.image_url.url': expected an http or https URL. Upload other images to /v1/files and name them in 'image_file'.`,
        );
      return { type: "image_url", image_url: { url, detail: wanted ?? "auto" } };
    }
  }
}

function textBlock(text: string, at: string): JsonObject {
  if (text === "")
    throw badRequest(at, `Invalid '${at}': the text is empty. Send at least one character.`);
  if (text.length > maxText)
    throw badRequest(
      at,
      `Invalid '${at}': ${text.length} characters. The limit is ${maxText}; attach longer texts as files.`,
    );
  return { type: "text", text: { value: text, annotations: [] } };
}
