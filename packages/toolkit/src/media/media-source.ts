import type { ToolContext } from "@capstan/core";
import { readsAttachmentsOnly } from "@capstan/core/host";
import type { GrantOffer } from "@capstan/core/host";
import { NetworkError, parseAddress } from "@capstan/sandbox";
import { fileRoots, type FileToolsOptions } from "../files/file-roots.ts";
import { openPath } from "../files/open-path.ts";
import { download } from "../service/download.ts";
import type { SendRequest } from "../service/service-client.ts";
import { formatBytes } from "../text/format-bytes.ts";
import { type MediaType, mediaType } from "./media-type.ts";

/** The description of a parameter that names an image or a sound. */
export const sourceText =
  "The id or the name of a file of this conversation, a path in the readable folders, a URL, or var: and the name of a variable that contains it as Base64 or as a data URL.";

/** An image or a sound that a call uses. */
export interface MediaFile extends MediaType {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The folders and the HTTP client for reading sources. */
export interface MediaSources {
  readonly files: FileToolsOptions;
  readonly send: SendRequest;
}

/** The expected kind and the maximum size of a source. */
export interface WantedMedia {
  readonly kind: MediaType["kind"];
  readonly maxBytes: number;
}

/** The failures of sources, for the documentation of tools. */
export const sourceErrors = {
  no_such_file: "the conversation has no file with this id",
  no_such_variable: "there is no variable with this name, or it contains no file",
  wrong_type: "the source is not an image or a recording",
  too_large: "the source, or the reply of the service, is too large",
  redirects_elsewhere: "the URL leads to another site",
} as const;

/**
 * Reads an image or a sound that a model names. Rejects files of other conversations.
 *
 * @throws NetworkError, FileError
 */
export async function readSource(
  written: string,
  context: ToolContext,
  { files, send }: MediaSources,
  wanted: WantedMedia,
): Promise<MediaFile> {
  const source = written.trim();
  const given = context.files.find(({ id }) => id === source);
  if (given !== undefined) return fromGiven(given, context, wanted);
  const named = context.files.findLast(({ name }) => name === source);
  if (readsAttachmentsOnly(context.tool)) {
    if (named !== undefined) return fromGiven(named, context, wanted);
    throw noSuchFile(source.slice(0, 200), context);
  }
  if (source.startsWith("var:")) return fromVariable(source.slice(4).trim(), context, wanted);
  if (/^data:/i.test(source)) return decode(source, "file", wanted);
  if (/^https?:/i.test(source)) {
    const url = parseAddress(source);
    const bytes = await download(send, url, {
      service: url.host,
      context,
      maxBytes: wanted.maxBytes,
    });
    return typed(bytes, lastName(url.pathname), wanted);
  }
  if (/^file[-_][\w-]+$/.test(source) && !/[./\\]/.test(source)) throw noSuchFile(source, context);
  if (named !== undefined) return fromGiven(named, context, wanted);
  await using file = await openPath(await fileRoots(files, context.denied()), source);
  if (!file.stats.isFile())
    throw failure("wrong_type", `"${file.shown}" is not a file. Name ${article(wanted)}.`);
  checkSize(file.stats.size, file.shown, wanted);
  return typed(await file.handle.readFile({ signal: context.signal }), lastName(source), wanted);
}

/** Returns the variables among sources, for `readsVariables`. */
export function variablesOf(sources: readonly string[]): readonly string[] {
  return sources.flatMap((source) => {
    const name = /^\s*var:(.*)$/s.exec(source)?.[1]?.trim() ?? "";
    return name === "" ? [] : [name];
  });
}

/**
 * Returns the scope of a wider approval: all calls with the same sites, or all calls without a URL.
 */
export function sourceScope(sources: readonly string[], title: string): GrantOffer {
  const sites = new Set(
    sources.flatMap((source) =>
      /^\s*https?:/i.test(source) ? [URL.parse(source.trim())?.origin ?? source] : [],
    ),
  );
  if (sites.size === 0) return { key: "files", title };
  const list = [...sites].toSorted().join(" ");
  return { key: `sites ${list}`, title: `files of ${list.slice(0, 200)}` };
}

async function fromGiven(
  file: ToolContext["files"][number],
  { signal }: ToolContext,
  wanted: WantedMedia,
): Promise<MediaFile> {
  const { name, size } = file;
  if (size !== undefined) checkSize(size, name, wanted);
  return typed(await file.read(signal), name, wanted);
}

async function fromVariable(
  name: string,
  context: ToolContext,
  wanted: WantedMedia,
): Promise<MediaFile> {
  const variable = await context.readVariable(name);
  if (variable === undefined)
    throw failure("no_such_variable", `There is no variable "${name}". ListVars lists them.`);
  const { text, data } = variable.value;
  const found = findFile(data ?? text, 0);
  const file = context.files.find(({ id }) => id !== undefined && id === found?.fileId);
  if (file !== undefined) return fromGiven(file, context, wanted);
  const encoded = found?.data ?? text;
  if (!/^(?:data:|[\w+/=\s-]+$)/.test(encoded))
    throw failure(
      "no_such_variable",
      `The variable "${name}" contains no ${wanted.kind === "image" ? "image" : "recording"}. It must contain Base64, a data URL, or the result of a tool with a file.`,
    );
  return decode(encoded, name, wanted);
}

interface FoundFile {
  readonly fileId?: string;
  readonly data?: string;
}

/** Finds the first image or file part in a value: a part, a list of parts, or a result with them. */
function findFile(value: unknown, depth: number): FoundFile | undefined {
  if (typeof value !== "object" || value === null || depth > 4) return undefined;
  const { source, fileId } = value as { readonly source?: unknown; readonly fileId?: unknown };
  const data = (source as { readonly data?: unknown } | undefined | null)?.data;
  if (typeof fileId === "string") return { fileId };
  if (typeof data === "string") return { data };
  for (const member of Object.values(value).slice(0, 100)) {
    const found = findFile(member, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Decodes Base64, or a data URL with Base64. */
function decode(text: string, name: string, wanted: WantedMedia): MediaFile {
  const [, base64 = text] = /^data:[^,]{0,200};base64,(.*)$/is.exec(text) ?? [];
  checkSize((base64.length * 3) / 4, name, wanted);
  return typed(Buffer.from(base64, "base64"), name, wanted);
}

function typed(bytes: Uint8Array, name: string, wanted: WantedMedia): MediaFile {
  checkSize(bytes.length, name, wanted);
  const type = mediaType(bytes);
  if (type?.kind !== wanted.kind)
    throw failure(
      "wrong_type",
      `"${name}" is ${type === undefined ? "neither an image nor a recording of a known type" : type.mimeType}. Name ${article(wanted)}.`,
    );
  return { ...type, name: withExtension(name, type.extension), bytes };
}

function article({ kind }: WantedMedia): string {
  return kind === "image"
    ? "an image: PNG, JPEG, WebP or GIF"
    : "a recording: MP3, M4A, WAV, FLAC, Ogg or WebM";
}

function checkSize(size: number, name: string, { maxBytes }: WantedMedia): void {
  if (size > maxBytes)
    throw failure(
      "too_large",
      `"${name.slice(0, 200)}" has ${formatBytes(size)}. The limit is ${formatBytes(maxBytes)}.`,
    );
}

function noSuchFile(id: string, { files }: ToolContext): NetworkError {
  const ids = files.flatMap((file) => (file.id === undefined ? [] : [`${file.id} (${file.name})`]));
  return failure(
    "no_such_file",
    `The conversation has no file ${id}. ${ids.length === 0 ? "It has no files." : `It has ${ids.slice(-10).join(", ")}.`}`,
  );
}

/** Services read the type of a file from its name. */
function withExtension(name: string, extension: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, "_").slice(-80) || "file";
  return plain.toLowerCase().endsWith(`.${extension}`) ? plain : `${plain}.${extension}`;
}

function lastName(path: string): string {
  return path.split(/[/\\]/).at(-1) || "file";
}

function failure(code: string, message: string): NetworkError {
  return new NetworkError({ code, message });
}
