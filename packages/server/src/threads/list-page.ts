import type { Context } from "hono";
import type { ListView } from "@capstan/contract";
import { RequestError } from "../http/errors.ts";
import { readNumber, readWord } from "../http/read-body.ts";
import { listView } from "../http/records.ts";

/**
 * Returns a page of a list: by default the newest 20 objects, the newest first.
 *
 * @param all the objects, the oldest first
 * @throws RequestError for an invalid `limit` or `order`, or a cursor that is not in the list
 */
export function listPage<T extends { readonly id: string }>(
  context: Context,
  all: readonly T[],
): ListView<T> {
  const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
  const order = readWord(context, "order", ["asc", "desc"]) ?? "desc";
  const ordered = order === "asc" ? all : all.toReversed();
  const positionOf = (name: "after" | "before"): number | undefined => {
    const id = context.req.query(name);
    if (id === undefined || id === "") return undefined;
    const at = ordered.findIndex((object) => object.id === id);
    if (at !== -1) return at;
    const message = `No object with id '${id.slice(0, 100)}' in this list. Leave '${name}' out for the first page.`;
    throw new RequestError({ param: name, code: "invalid_value", message });
  };
  const after = positionOf("after");
  const before = positionOf("before");
  const range = ordered.slice((after ?? -1) + 1, before);
  // The page ends right before the cursor, unless another cursor says where it begins.
  const page =
    before !== undefined && after === undefined ? range.slice(-limit) : range.slice(0, limit);
  return listView(page, range.length > page.length);
}
