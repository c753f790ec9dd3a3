import { safeParse } from "zod/v4/core";
import { z } from "zod/mini";
import type { ContentPart } from "./content-part.ts";

/** A page that a text cites. Offsets count UTF-16 units from 0. */
export interface UrlCitation {
  readonly type: "url_citation";
  /** An `http` or `https` URL. */
  readonly url: string;
  readonly title?: string;
  /** The beginning and the end of the citation in the text. */
  readonly start?: number;
  readonly end?: number;
}

/** A stored file that a text cites. */
export interface FileCitation {
  readonly type: "file_citation";
  readonly fileId: string;
  readonly filename?: string;
  /** The position of the citation in the text. */
  readonly index?: number;
}

/** A stored file that a tool made. The loop adds one for each file and named picture in a result. */
export interface FilePath {
  readonly type: "file_path";
  readonly fileId: string;
  readonly filename?: string;
  /** The position of the file's name in the text. */
  readonly index?: number;
}

/** A file of a container or of a workspace, usually one that a tool wrote. */
export interface ContainerFileCitation {
  readonly type: "container_file_citation";
  readonly containerId: string;
  readonly fileId: string;
  readonly filename?: string;
  /** The beginning and the end of the citation in the text. */
  readonly start?: number;
  readonly end?: number;
}

/**
 * A source of a tool's result. The assistant's message after the result cites it. Plain JSON. Only
 * a final tool, which writes the message itself, knows positions; they are ignored from other tools.
 */
export type Annotation = UrlCitation | FileCitation | FilePath | ContainerFileCitation;

/** An annotation with its position in a message's text. */
export type PlacedAnnotation =
  | Required<UrlCitation>
  | Required<FileCitation>
  | Required<FilePath>
  | Required<ContainerFileCitation>;

const maxAnnotations = 1_000;
const text = z.string().check(z.minLength(1), z.maxLength(8_192));
const position = z.optional(z.int().check(z.minimum(0)));
const range = { start: position, end: position };
const names = { filename: z.optional(text) };
const annotationSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("url_citation"),
    url: text.check(z.refine(isWebUrl)),
    title: z.optional(text),
    ...range,
  }),
  z.object({
    type: z.enum(["file_citation", "file_path"]),
    fileId: text,
    ...names,
    index: position,
  }),
  z.object({
    type: z.literal("container_file_citation"),
    containerId: text,
    fileId: text,
    ...names,
    ...range,
  }),
]);

/** Clients show citations as links, so other schemes such as `javascript:` are invalid. */
function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/**
 * Checks the annotations that a tool returned. Returns copies without unknown fields, or a text that
 * says which one is invalid.
 */
export function checkAnnotations(
  given: unknown,
):
  | { readonly status: "valid"; readonly annotations: readonly Annotation[] }
  | { readonly status: "invalid"; readonly message: string } {
  if (!Array.isArray(given))
    return { status: "invalid", message: "its annotations are not a list" };
  if (given.length > maxAnnotations) {
    const message = `it has ${given.length} annotations, the limit is ${maxAnnotations}`;
    return { status: "invalid", message };
  }
  const annotations: Annotation[] = [];
  for (const [index, one] of given.entries()) {
    const parsed = safeParse(annotationSchema, one);
    if (!parsed.success) {
      const expected = '{"type":"url_citation","url":"https://…"}';
      const field = parsed.error.issues[0]?.path.join(".") ?? "";
      const at = field === "" ? "" : ` at ${field}`;
      const message = `its annotation ${index} is invalid${at}; expected one such as ${expected}, or a file_citation with fileId`;
      return { status: "invalid", message };
    }
    annotations.push(parsed.data as Annotation);
  }
  return { status: "valid", annotations };
}

/** Returns a key of the cited source: equal for two annotations of the same source. */
export function citedSource(annotation: Annotation): string {
  switch (annotation.type) {
    case "url_citation":
      return `url ${annotation.url}`;
    case "file_citation":
    case "file_path":
      return `file ${annotation.fileId}`;
    case "container_file_citation":
      return `container ${annotation.containerId} ${annotation.fileId}`;
  }
}

/** The options of `placeAnnotations`. */
export interface PlaceOptions {
  /** True uses the annotations' own positions: the tool wrote the text itself. @default false */
  readonly ownPositions?: boolean;
  /**
   * Returns whether an annotation that the text does not mention is placed at its end.
   * @default always
   */
  readonly placesRest?: (annotation: Annotation) => boolean;
}

/**
 * Places annotations in a text, each source once: at the link or the name of the file if the text
 * contains it, or else at the end of the text.
 *
 * @example placeAnnotations("See https://a.example.", [{ type: "url_citation", url: "https://a.example" }])
 * // [{ type: "url_citation", url: "https://a.example", title: "https://a.example", start: 4, end: 21 }]
 */
export function placeAnnotations(
  text: string,
  annotations: readonly Annotation[],
  { ownPositions = false, placesRest = () => true }: PlaceOptions = {},
): readonly PlacedAnnotation[] {
  const placed: PlacedAnnotation[] = [];
  const known = new Set<string>();
  for (const annotation of annotations) {
    const source = citedSource(annotation);
    const own = ownPositions ? ownRange(annotation, text.length) : undefined;
    // A tool may cite one source at several positions of its own text.
    if (own === undefined && known.has(source)) continue;
    const end = text.length;
    const range =
      own ??
      mentioned(text, annotation) ??
      (placesRest(annotation) ? { start: end, end } : undefined);
    if (range === undefined) continue;
    known.add(source);
    placed.push(at(annotation, range));
  }
  return placed;
}

/** Returns annotations for a text that follows `offset` other units in its message. */
export function shiftAnnotations(
  annotations: readonly PlacedAnnotation[],
  offset: number,
): readonly PlacedAnnotation[] {
  if (offset === 0) return annotations;
  return annotations.map((annotation) =>
    "index" in annotation
      ? { ...annotation, index: annotation.index + offset }
      : { ...annotation, start: annotation.start + offset, end: annotation.end + offset },
  );
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function at(annotation: Annotation, { start, end }: Range): PlacedAnnotation {
  switch (annotation.type) {
    case "url_citation":
      return { ...annotation, title: annotation.title ?? annotation.url, start, end };
    case "file_citation":
    case "file_path":
      return { ...annotation, filename: annotation.filename ?? annotation.fileId, index: end };
    case "container_file_citation":
      return { ...annotation, filename: annotation.filename ?? annotation.fileId, start, end };
  }
}

function ownRange(annotation: Annotation, length: number): Range | undefined {
  const { start, end } =
    annotation.type === "file_citation" || annotation.type === "file_path"
      ? { start: annotation.index, end: annotation.index }
      : annotation;
  if (start === undefined || end === undefined) return undefined;
  return start <= end && end <= length ? { start, end } : undefined;
}

/** Returns the position of a source's link or file name in a text. */
function mentioned(text: string, annotation: Annotation): Range | undefined {
  if (annotation.type === "url_citation") {
    const start = findWhole(text, annotation.url, continuesUrl);
    if (start === -1) return undefined;
    const end = start + annotation.url.length;
    // A Markdown link is cited with its text.
    const isLink = text.startsWith("](", start - 2) && text[end] === ")";
    const opening = isLink ? text.lastIndexOf("[", start - 2) : -1;
    return opening === -1 ? { start, end } : { start: opening, end: end + 1 };
  }
  const { filename } = annotation;
  if (filename === undefined) return undefined;
  const start = findWhole(text, filename, continuesName);
  return start === -1 ? undefined : { start, end: start + filename.length };
}

const continuesUrl = /^(?:[\w/?#=&%~+@-]|[.,:;!]\w)/;
const continuesName = /^(?:[\w/-]|\.\w)/;

/** Returns the first position of a word that is not only the beginning of a longer one, or -1. */
function findWhole(text: string, word: string, continues: RegExp): number {
  for (let start = text.indexOf(word); start !== -1; start = text.indexOf(word, start + 1)) {
    const end = start + word.length;
    const isWhole = !continues.test(text.slice(end, end + 2));
    if (isWhole && !/[\w/.-]/.test(text[start - 1] ?? "")) return start;
  }
  return -1;
}

/**
 * Returns the sources of a result: its annotations, and the stored files and named pictures in its
 * parts.
 */
export function resultSources({
  annotations = [],
  parts = [],
}: {
  readonly annotations?: readonly Annotation[];
  readonly parts?: readonly ContentPart[];
}): readonly Annotation[] {
  const files = parts.flatMap((part): readonly Annotation[] =>
    (part.type === "file" || part.type === "image") &&
    part.fileId !== undefined &&
    part.name !== undefined
      ? [{ type: "file_path", fileId: part.fileId, filename: part.name }]
      : [],
  );
  return files.length === 0 ? annotations : [...annotations, ...files];
}
