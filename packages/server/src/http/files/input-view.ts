import type { JsonValue } from "@capstan/core";
import { isObject } from "../errors.ts";
import { asNamedFile } from "./stored-files.ts";

/**
 * Returns the stored items of a run's input as a run view shows them: each named file as its
 * `file_id` and `filename`.
 */
export function inputView(items: readonly JsonValue[]): readonly unknown[] {
  return items.map((item) => {
    if (!isObject(item) || !Array.isArray(item["content"])) return item;
    return { ...item, content: item["content"].map(partView) };
  });
}

function partView(part: unknown): unknown {
  const file = isObject(part) ? asNamedFile(part["file_id"]) : undefined;
  if (file === undefined || !isObject(part)) return part;
  return { ...part, file_id: file.id, filename: file.name };
}
