import type { ToolContext } from "@capstan/core";
import { NetworkError } from "@capstan/sandbox";
import { z } from "zod";
import { replyFailure } from "../service/reply-failure.ts";
import {
  type FormField,
  jsonOf,
  readBytes,
  type SendRequest,
  type ServiceReply,
} from "../service/service-client.ts";
import type { MediaFile } from "./media-source.ts";

/** A service with an OpenAI-compatible API. */
export interface MediaService {
  /** The address to which paths such as `/images/generations` are added. @example "https://api.openai.com/v1" */
  readonly url: string;
  readonly model: string;
  /** Sent as `Authorization: Bearer …`. @default none */
  readonly key?: string;
}

/** A request to a service. Optional fields that the service does not know are omitted. */
export interface MediaRequest {
  readonly path: string;
  readonly required: { readonly [name: string]: FieldValue };
  readonly optional: { readonly [name: string]: FieldValue | undefined };
  /** Fields that are omitted together. @example [["stream", "partial_images"]] */
  readonly together?: readonly (readonly string[])[];
  /** If it has files, the request is a form. */
  readonly files?: readonly { readonly field: string; readonly file: MediaFile }[];
}

type FieldValue = string | number | boolean | readonly string[];

/** A reply, and the fields that the service did not know. */
export interface MediaReply {
  readonly reply: ServiceReply;
  readonly omitted: readonly string[];
}

/** The maximum number of fields to omit. Each is omitted after a reply that names it. */
const mostOmitted = 5;

/**
 * Sends a request. If the service answers that it does not know a field, sends it again without that
 * field.
 *
 * @throws NetworkError for a status other than 2xx
 */
export async function askMediaService(
  { service, send }: { readonly service: MediaService; readonly send: SendRequest },
  request: MediaRequest,
  context: Pick<ToolContext, "signal" | "denied">,
): Promise<MediaReply> {
  const url = new URL(`${service.url}${request.path}`);
  const given = Object.entries(request.optional).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const omitted = new Set<string>();
  for (;;) {
    const sent = given.filter(([name]) => !omitted.has(name));
    const fields = { ...request.required, ...Object.fromEntries(sent) };
    const reply = await send({
      url,
      service: url.host,
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        ...(service.key !== undefined && { authorization: `Bearer ${service.key}` }),
        ...(request.files === undefined && { "content-type": "application/json" }),
      },
      ...(request.files === undefined
        ? { body: JSON.stringify(fields) }
        : { form: formOf(fields, request.files) }),
      context,
    });
    if (reply.status >= 200 && reply.status < 300) return { reply, omitted: [...omitted] };
    const text = Buffer.from(await readBytes(reply)).toString("utf8");
    const body = jsonOf(text);
    const isMistake = reply.status === 400 || reply.status === 422;
    const unknown = isMistake
      ? unknownField(
          body,
          sent.map(([name]) => name),
        )
      : undefined;
    if (unknown === undefined || omitted.size >= mostOmitted)
      throw replyFailure(reply, url.host, reasonOf(body) ?? (body === undefined ? text : ""));
    const group = request.together?.find((names) => names.includes(unknown)) ?? [unknown];
    for (const name of group) if (sent.some(([each]) => each === name)) omitted.add(name);
  }
}

function formOf(
  fields: { readonly [name: string]: FieldValue },
  files: NonNullable<MediaRequest["files"]>,
): readonly FormField[] {
  return [
    ...Object.entries(fields).flatMap(([name, value]) =>
      Array.isArray(value)
        ? (value as readonly string[]).map((each) => ({ name, value: each }))
        : [{ name, value: String(value) }],
    ),
    ...files.map(({ field, file }) => ({
      name: field,
      bytes: file.bytes,
      fileName: file.name,
      type: file.mimeType,
    })),
  ];
}

const openaiError = z.object({
  error: z.union([
    z.string(),
    z.object({
      message: z.string().nullish(),
      param: z.string().nullish(),
      code: z.union([z.string(), z.number()]).nullish(),
    }),
  ]),
});
const validationError = z.object({
  detail: z.union([
    z.string(),
    z.array(
      z.object({
        type: z.string().optional(),
        loc: z.array(z.union([z.string(), z.number()])).optional(),
        msg: z.string().optional(),
      }),
    ),
  ]),
});

/** Returns the text of an error in OpenAI's format, or in that of Python servers. */
export function reasonOf(body: unknown): string | undefined {
  const known = openaiError.safeParse(body);
  if (known.success) {
    const { error } = known.data;
    return typeof error === "string" ? error : (error.message ?? undefined);
  }
  const listed = validationError.safeParse(body);
  if (!listed.success) return undefined;
  const { detail } = listed.data;
  if (typeof detail === "string") return detail;
  return detail.map(({ loc = [], msg = "" }) => `${loc.join(".")}: ${msg}`).join("; ");
}

/** Returns the failure that an event of a stream reports, or `undefined` if it reports none. */
export function eventFailure(
  event: { readonly [field: string]: unknown },
  reply: ServiceReply,
): NetworkError | undefined {
  const { type, error, message } = event;
  if (error === undefined && type !== "error") return undefined;
  const reason = reasonOf(event) ?? (typeof message === "string" ? message : "an error");
  return replyFailure({ ...reply, status: 500 }, reply.url.host, reason);
}

/** Returns the sent field that an error calls unknown. */
function unknownField(body: unknown, sent: readonly string[]): string | undefined {
  const known = openaiError.safeParse(body);
  if (known.success && typeof known.data.error === "object") {
    const { code, param } = known.data.error;
    if (code === "unknown_parameter" && typeof param === "string") {
      const field = param.replace(/\[.*$/, "");
      return sent.find((name) => name.replace("[]", "") === field);
    }
  }
  const listed = validationError.safeParse(body);
  if (listed.success && typeof listed.data.detail === "object") {
    const extra = listed.data.detail.find(({ type = "" }) => /extra|unexpected/.test(type));
    return sent.find((name) => name === extra?.loc?.at(-1));
  }
  const reason = reasonOf(body) ?? "";
  if (
    !/\b(?:unknown|unrecognized|unexpected|unsupported)\b.{0,20}\b(?:parameter|argument|field|keyword|property)/i.test(
      reason,
    )
  )
    return undefined;
  const words = reason.split(/[^\w]+/);
  return sent.find((name) => words.includes(name.replace("[]", "")));
}

/** Returns the failure for a reply that is not in OpenAI's format. */
export function unexpectedReply(host: string, what: string): NetworkError {
  return new NetworkError({
    code: "unexpected_reply",
    message: `${host} ${what}. The administrator can check the address and the model in the configuration.`,
  });
}
