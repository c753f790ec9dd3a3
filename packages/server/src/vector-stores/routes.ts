import { type Context, Hono } from "hono";
import { newId } from "@capstan/core/host";
import type { SearchObject } from "@capstan/store";
import { notFound, RequestError } from "../http/errors.ts";
import { readJson } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";
import type { StoreData } from "../search/store-data.ts";
import { newFiles } from "./add-files.ts";
import { findStore, findUsableStore } from "./find-store.ts";
import { readPage } from "./read-page.ts";
import { changedStore, newStore, parseFields } from "./request/fields.ts";
import { parseSearch } from "./request/parse-search.ts";
import { storeView } from "./views.ts";

/** The maximum number of vector stores of a user. */
const maxStores = 10_000;

/** Routes of OpenAI's vector stores. */
export function vectorStoreRoutes({ runs, vectorStores }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = runs;

  const views = async (owner: string, all: readonly SearchObject[]) => {
    const counts = await store.countStoreFiles({ owner, ids: all.map(({ id }) => id) });
    return all.map((each) =>
      storeView(
        each,
        counts.filter(({ parentId }) => parentId === each.id),
        vectorStores.now(),
      ),
    );
  };

  const answer = async (context: Context<Environment>, id: string) => {
    const owner = context.get("principal");
    const [view] = await views(owner, [await findStore(store, owner, id)]);
    return context.json(view);
  };

  routes.post("/", async (context) => {
    const owner = context.get("principal");
    const given = parseFields(newStore, await readJson(context));
    const files = (given.file_ids ?? []).map((file_id) => ({
      file_id,
      chunking_strategy: given.chunking_strategy,
    }));
    const id = newId("vs_");
    const data: StoreData = {
      name: given.name ?? null,
      description: given.description ?? null,
      metadata: given.metadata ?? {},
      days: given.expires_after?.days ?? null,
      lastActiveAt: vectorStores.now(),
    };
    const [created] = await store.write([
      {
        type: "save-vector-store",
        owner,
        id,
        data,
        isNew: true,
        files: newFiles(files),
        limit: maxStores,
      },
    ]);
    if (created.status === "refused")
      throw new RequestError({ code: "too_many_vector_stores", message: created.reason });
    if (created.status === "missing_file") throw notFound("file", created.fileId);
    vectorStores.wake();
    return answer(context, id);
  });

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const { data, hasMore } = await readPage(context, {
      store,
      query: { owner },
      idOf: (id) => id,
      isInList: ({ kind }) => kind === "store",
    });
    return context.json(listView(await views(owner, data), hasMore));
  });

  routes.get("/:id", (context) => answer(context, context.req.param("id")));

  routes.post("/:id", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    const body = await readJson(context);
    const given = parseFields(changedStore, body);
    const has = (field: keyof typeof given) => Object.hasOwn(body as object, field);
    // A change would count as activity, and so revive a store that has expired.
    await findUsableStore(vectorStores, owner, id);
    const [outcome] = await store.write([
      {
        type: "save-vector-store",
        owner,
        id,
        isNew: false,
        data: {
          ...(has("name") && { name: given.name ?? null }),
          ...(has("metadata") && { metadata: given.metadata ?? {} }),
          ...(has("expires_after") && { days: given.expires_after?.days ?? null }),
          lastActiveAt: vectorStores.now(),
        },
      },
    ]);
    if (outcome.status !== "saved_store") throw notFound("vector store", id);
    return answer(context, id);
  });

  routes.delete("/:id", async (context) => {
    const id = context.req.param("id");
    const owner = context.get("principal");
    const [outcome] = await store.write([{ type: "delete-vector-store", owner, id }]);
    if (outcome.status !== "removed") throw notFound("vector store", id);
    vectorStores.wake();
    return context.json({ id, object: "vector_store.deleted", deleted: true });
  });

  routes.post("/:id/search", async (context) => {
    const owner = context.get("principal");
    const search = parseSearch(await readJson(context));
    const found = await findUsableStore(vectorStores, owner, context.req.param("id"));
    const { signal } = context.req.raw;
    const hits = await vectorStores.search({ owner, stores: [found], ...search, signal });
    return context.json({
      object: "vector_store.search_results.page",
      search_query: search.queries,
      data: hits.map(({ fileId, filename, score, attributes, text }) => ({
        file_id: fileId,
        filename,
        score,
        attributes,
        content: [{ type: "text", text }],
      })),
      has_more: false,
      next_page: null,
    });
  });

  return routes;
}
