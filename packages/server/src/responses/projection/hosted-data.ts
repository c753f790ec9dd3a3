import type { CallResult, JsonObject, JsonValue } from "@capstan/core";
import { isObject } from "../../http/errors.ts";
import { failureText } from "./call-texts.ts";
import type { CodeInterpreterCallOutput } from "./wire.ts";

/** The data of hosted calls that a response can include, as `include` of a request names it. */
export type IncludedData =
  | "file_search_call.results"
  | "web_search_call.results"
  | "web_search_call.action.sources"
  | "code_interpreter_call.outputs";

type Source = { readonly type: "url"; readonly url: string };

/** The data of one call, from its tool's events and its result. */
export interface HostedData {
  /** Takes the data of an event of the tool. */
  take(data: JsonValue): void;
  /**
   * Discards the data of the events: a user reviews the result, and they may contain withheld data.
   */
  review(): void;
  settle(result: CallResult): void;
  sources(): readonly Source[];
  /** The pages that a web search found. */
  pages(): readonly JsonObject[];
  /** The files that a file search found. */
  files(): readonly JsonObject[];
  outputs(): NonNullable<CodeInterpreterCallOutput["outputs"]>;
}

/**
 * Creates the data of a call. The guide docs/guides/write-a-tool.md describes the forms of the
 * data.
 */
export function createHostedData(): HostedData {
  let given: Fields[] = [];
  let hasReview = false;
  let result: CallResult | undefined;
  const listed = (name: string) => given.flatMap((fields) => listOf(fields[name]).filter(isObject));
  const annotations = () => result?.annotations ?? [];

  return {
    take(data) {
      if (!hasReview && isObject(data)) given.push(data);
    },
    review() {
      hasReview = true;
      given = [];
    },
    settle(settled) {
      result = settled;
    },
    sources() {
      const cited = annotations().flatMap((each) => (each.type === "url_citation" ? each.url : []));
      const urls = [...listed("sources"), ...listed("results")].flatMap(({ url }) => url);
      return [...new Set([...urls, ...cited])]
        .filter(isWebUrl)
        .map((url) => ({ type: "url", url }));
    },
    pages() {
      const pages = listed("results").filter(({ url }) => isWebUrl(url));
      if (pages.length > 0)
        return pages.map(({ url, title, text }) => ({
          url: textOf(url),
          title: textOf(title),
          text: textOf(text),
        }));
      return annotations().flatMap((each) =>
        each.type === "url_citation" ? [{ url: each.url, title: each.title ?? "", text: "" }] : [],
      );
    },
    files() {
      const hits = listed("results").map(fileHit);
      if (hits.length > 0) return hits;
      const found = annotations().flatMap((each) => (each.type === "file_citation" ? [each] : []));
      // A search returns one text for all its files.
      return found.map(({ fileId, filename = fileId }, index) => ({
        file_id: fileId,
        filename,
        ...(index === 0 && { text: result?.finalText ?? "" }),
      }));
    },
    outputs() {
      if (result === undefined) return [];
      const logs = result.error === undefined ? result.finalText : failureText(result);
      const images = (result.parts ?? []).flatMap((part) => {
        if (part.type !== "image") return [];
        const { source, mimeType } = part;
        if (source.type === "blob") return [];
        const url = source.type === "url" ? source.url : `data:${mimeType};base64,${source.data}`;
        return [{ type: "image", url } as const];
      });
      return [...(logs === "" ? [] : [{ type: "logs", logs } as const]), ...images];
    },
  };
}

type Fields = { readonly [name: string]: unknown };

function fileHit({ fileId, file, score, text, attributes }: Fields): JsonObject {
  const filename = textOf(file);
  return {
    file_id: typeof fileId === "string" ? fileId : filename,
    filename,
    ...(typeof score === "number" && { score }),
    text: textOf(text),
    ...(isObject(attributes) && { attributes: attributes as JsonObject }),
  };
}

function isWebUrl(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
