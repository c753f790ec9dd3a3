import type { Context } from "hono";
import type { SearchObject, Store } from "@capstan/store";
import { badRequest } from "../http/errors.ts";
import { readNumber, readWord } from "../http/read-body.ts";

type ListQuery = Omit<Parameters<Store["listSearchObjects"]>[0], "order" | "after" | "limit">;

/**
 * Reads the page of a list that a request asks for.
 *
 * @param idOf returns the stored id of the object that a cursor names
 * @param isInList returns whether an object of the user belongs to the list
 * @throws RequestError for a cursor that is not in the list
 */
export async function readPage(
  context: Context,
  {
    store,
    query,
    idOf,
    isInList,
  }: {
    readonly store: Pick<Store, "listSearchObjects" | "getSearchObject">;
    readonly query: ListQuery;
    readonly idOf: (cursor: string) => string;
    readonly isInList: (object: SearchObject) => boolean;
  },
): Promise<{ readonly data: readonly SearchObject[]; readonly hasMore: boolean }> {
  const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
  const order = readWord(context, "order", ["asc", "desc"]) ?? "desc";
  const cursor = async (name: "after" | "before"): Promise<SearchObject | undefined> => {
    const given = context.req.query(name) || undefined;
    if (given === undefined) return undefined;
    const found = await store.getSearchObject({ owner: query.owner, id: idOf(given) });
    if (found === undefined || !isInList(found))
      throw badRequest(name, `${name}: there is no object "${given.slice(0, 100)}" in this list.`);
    return found;
  };
  const [after, before] = [await cursor("after"), await cursor("before")];
  // The page that ends before a cursor is read backwards.
  const isBackwards = before !== undefined && after === undefined;
  const reverse = order === "asc" ? "desc" : "asc";
  const rows = await store.listSearchObjects({
    ...query,
    order: isBackwards ? reverse : order,
    limit: limit + 1,
    ...((after ?? before) && { after: after ?? before }),
  } as Parameters<Store["listSearchObjects"]>[0]);
  const end = isBackwards ? -1 : rows.findIndex(({ id }) => id === before?.id);
  const data = (end === -1 ? rows : rows.slice(0, end)).slice(0, limit);
  return {
    data: isBackwards ? data.toReversed() : data,
    hasMore: end === -1 && rows.length > limit,
  };
}
