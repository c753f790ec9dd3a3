import type { JsonObject, PlacedAnnotation } from "@capstan/core";

/** Returns an annotation in the form of the Responses API. */
export function wireAnnotation(annotation: PlacedAnnotation): JsonObject {
  switch (annotation.type) {
    case "url_citation": {
      const { type, url, title, start, end } = annotation;
      return { type, url, title, start_index: start, end_index: end };
    }
    case "file_citation": {
      const { type, fileId, filename, index } = annotation;
      return { type, file_id: fileId, filename, index };
    }
    case "file_path": {
      const { type, fileId, index } = annotation;
      return { type, file_id: fileId, index };
    }
    case "container_file_citation": {
      const { type, containerId, fileId, filename, start, end } = annotation;
      return {
        type,
        container_id: containerId,
        file_id: fileId,
        filename,
        start_index: start,
        end_index: end,
      };
    }
  }
}

/**
 * Returns an annotation in the form of the Chat Completions API, which has only citations of links:
 * a file is cited by the link to it. Returns `undefined` for a file without a link.
 *
 * @param linkOf returns the link to a stored file
 */
export function completionAnnotation(
  annotation: PlacedAnnotation,
  linkOf: ((fileId: string) => string) | undefined,
): JsonObject | undefined {
  const { url, title, start, end } =
    annotation.type === "url_citation"
      ? annotation
      : {
          url: linkOf?.(annotation.fileId),
          title: annotation.filename,
          start: "index" in annotation ? annotation.index : annotation.start,
          end: "index" in annotation ? annotation.index : annotation.end,
        };
  if (url === undefined) return undefined;
  const citation = { url, title, start_index: start, end_index: end };
  return { type: "url_citation", url_citation: citation };
}
