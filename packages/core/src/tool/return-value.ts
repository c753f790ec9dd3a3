import type { ToolErrorData } from "../base/errors.ts";
import type { Annotation } from "../model/annotation.ts";
import type { ContentPart } from "../model/content-part.ts";

// Symbols mark return values, so that fetched JSON cannot imitate one.
const errorMarker = Symbol.for("capstan.tool-error");
const textMarker = Symbol.for("capstan.with-text");
const partsMarker = Symbol.for("capstan.content-parts");
const annotationsMarker = Symbol.for("capstan.with-annotations");

/** A failure that a tool returns. */
export interface ToolError extends ToolErrorData {
  readonly [errorMarker]: true;
}

/** Data that a tool returns together with the text for the model. */
export interface WithText {
  readonly [textMarker]: true;
  readonly value: unknown;
  readonly text: string;
}

/** Images, files and links that a tool returns instead of data. */
export interface ContentParts {
  readonly [partsMarker]: true;
  readonly parts: readonly ContentPart[];
}

/** A tool's result together with the sources that the assistant's message cites. */
export interface WithAnnotations {
  readonly [annotationsMarker]: true;
  readonly value: unknown;
  readonly annotations: readonly Annotation[];
}

/**
 * Returns a failure from a tool. A tool may also throw; the code is then `tool_threw`.
 *
 * @example return toolError({ code: "file_not_found", message: `No file ${path}. ListFiles lists the files.` });
 */
export function toolError(data: ToolErrorData): ToolError {
  return { ...data, [errorMarker]: true };
}

/** Returns whether `toolError` created a value. */
export function isToolError(value: unknown): value is ToolError {
  return typeof value === "object" && value !== null && errorMarker in value;
}

/**
 * Returns data with its text for the model. The text takes precedence over `formatForLLM`.
 *
 * @example return withText({ celsius: 21 }, "21 °C in Bergen");
 */
export function withText(value: unknown, text: string): WithText {
  return { [textMarker]: true, value, text };
}

/** Returns whether `withText` created a value. */
export function isWithText(value: unknown): value is WithText {
  return typeof value === "object" && value !== null && textMarker in value;
}

/**
 * Returns images, files and links from a tool.
 *
 * @example return contentParts([{ type: "link", url: "https://example.org", title: "Example" }]);
 */
export function contentParts(parts: readonly ContentPart[]): ContentParts {
  return { [partsMarker]: true, parts };
}

/** Returns whether `contentParts` created a value. */
export function isContentParts(value: unknown): value is ContentParts {
  return typeof value === "object" && value !== null && partsMarker in value;
}

/**
 * Returns a result with its sources. The assistant's message after the result cites them: as
 * `annotations` of its text in the Responses and Chat Completions APIs.
 *
 * @param value any result of a tool: data, `withText(…)` or `contentParts(…)`
 * @example return withAnnotations(hits, [{ type: "url_citation", url: "https://example.org", title: "Example" }]);
 */
export function withAnnotations(
  value: unknown,
  annotations: readonly Annotation[],
): WithAnnotations {
  return { [annotationsMarker]: true, value, annotations };
}

/** Returns whether `withAnnotations` created a value. */
export function isWithAnnotations(value: unknown): value is WithAnnotations {
  return typeof value === "object" && value !== null && annotationsMarker in value;
}
