import type { Context } from "hono";
import type { ListView } from "@capstan/contract";
import { RequestError } from "../http/errors.ts";
import { readNumber, readWord } from "../http/read-body.ts";
import { listView } from "../http/records.ts";

/** The page of a list that a request asks for. */
export interface PageQuery {
  readonly limit: number;
  readonly order: "asc" | "desc";
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** Reads the page that a request asks for: by default the newest 20 objects, the newest first. */
export function readPageQuery(context: Context): PageQuery {
  const cursor = (name: string) => context.req.query(name) || undefined;
  return {
    limit: readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 }),
    order: readWord(context, "order", ["asc", "desc"]) ?? "desc",
    after: cursor("after"),
    before: cursor("before"),
  };
}

/**
 * Returns a page of a list. Objects are read only until the page is complete.
 *
 * @param all the objects in the order of the page
 * @throws RequestError for a cursor that is not in the list
 */
export async function pageOf<T extends { readonly id: string }>(
  { limit, after, before }: PageQuery,
  all: AsyncIterable<T> | Iterable<T>,
): Promise<ListView<T>> {
  const page: T[] = [];
  let hasMore = false;
  let isAfter = after === undefined;
  let isBefore = false;
  for await (const object of all) {
    isBefore = object.id === before;
    if (isBefore) break;
    if (!isAfter) {
      isAfter = object.id === after;
      continue;
    }
    page.push(object);
    if (page.length <= limit) continue;
    hasMore = true;
    // The page ends right before the cursor, unless another cursor says where it begins.
    if (before !== undefined && after === undefined) page.shift();
    else {
      page.pop();
      break;
    }
  }
  if (!isAfter) throw unknownCursor("after", after);
  if (before !== undefined && !isBefore && !hasMore) throw unknownCursor("before", before);
  if (before !== undefined && after === undefined && !isBefore)
    throw unknownCursor("before", before);
  return listView(page, hasMore);
}

function unknownCursor(param: string, id = ""): RequestError {
  const message = `No object with id '${id.slice(0, 100)}' in this list. Leave '${param}' out for the first page.`;
  return new RequestError({ param, code: "invalid_value", message });
}
