import type { SearchObject, Store } from "@capstan/store";
import { storeFileId } from "@capstan/store";
import { notFound, RequestError } from "../http/errors.ts";
import type { VectorStores } from "../search/vector-stores.ts";

/** @throws RequestError 404 if there is no such vector store of the user, or 400 if it has expired */
export async function findUsableStore(
  stores: VectorStores,
  owner: string,
  id: string,
): Promise<SearchObject> {
  const found = await stores.find(owner, id);
  if (found === undefined) throw notFound("vector store", id);
  if (found === "expired")
    throw new RequestError({
      code: "vector_store_expired",
      param: "vector_store_id",
      message: `The vector store "${id}" has expired. Create a new one; its files are still stored.`,
    });
  return found;
}

/** @throws RequestError 404 if there is no such vector store of the user; it can have expired */
export async function findStore(store: Store, owner: string, id: string): Promise<SearchObject> {
  const found = await store.getSearchObject({ owner, id });
  if (found?.kind !== "store") throw notFound("vector store", id);
  return found;
}

/** @throws RequestError 404 if the vector store does not have the file */
export async function findStoreFile(
  store: Store,
  owner: string,
  { storeId, fileId }: { readonly storeId: string; readonly fileId: string },
): Promise<SearchObject> {
  await findStore(store, owner, storeId);
  const found = await store.getSearchObject({ owner, id: storeFileId(storeId, fileId) });
  if (found === undefined) throw notFound("vector store file", fileId);
  return found;
}

/** @throws RequestError 404 if the vector store does not have the batch */
export async function findBatch(
  store: Store,
  owner: string,
  { storeId, id }: { readonly storeId: string; readonly id: string },
): Promise<SearchObject> {
  await findStore(store, owner, storeId);
  const found = await store.getSearchObject({ owner, id });
  if (found?.kind !== "batch" || found.parentId !== storeId)
    throw notFound("vector store file batch", id);
  return found;
}
