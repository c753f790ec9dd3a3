import { Hono } from "hono";
import { newId } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import { badRequest, notFound } from "../http/errors.ts";
import { readJson, readWord } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";
import { streamJson } from "../http/streams.ts";
import { storeFileId } from "@capstan/store";
import { addFilesWrite, requireAdded } from "./add-files.ts";
import { findBatch, findStore, findStoreFile, findUsableStore } from "./find-store.ts";
import { readPage } from "./read-page.ts";
import { addedBatch, addedFile, changedFile, parseFields } from "./request/fields.ts";
import { batchView, storeFileView } from "./views.ts";

const statuses = ["in_progress", "completed", "failed", "cancelled"] as const;

/** Routes of the files of vector stores, and of batches of files. */
export function vectorStoreFileRoutes({ runs, vectorStores }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = runs;

  routes.post("/:id/files", async (context) => {
    const owner = context.get("principal");
    const storeId = context.req.param("id");
    const given = parseFields(addedFile, await readJson(context));
    await findUsableStore(vectorStores, owner, storeId);
    const [outcome] = await store.write([addFilesWrite({ owner, storeId, files: [given] })]);
    requireAdded(outcome, storeId);
    const file = await findStoreFile(store, owner, { storeId, fileId: given.file_id });
    vectorStores.wake();
    return context.json(storeFileView(file));
  });

  routes.get("/:id/files", async (context) => {
    const owner = context.get("principal");
    const storeId = context.req.param("id");
    await findStore(store, owner, storeId);
    const status = readWord(context, "filter", statuses);
    const { data, hasMore } = await readPage(context, {
      store,
      query: { owner, of: { type: "store", id: storeId }, ...(status && { status }) },
      idOf: (id) => storeFileId(storeId, id),
      isInList: ({ kind, parentId }) => kind === "file" && parentId === storeId,
    });
    return context.json(listView(data.map(storeFileView), hasMore));
  });

  routes.get("/:id/files/:file", async (context) => {
    const { id: storeId, file: fileId } = context.req.param();
    const file = await findStoreFile(store, context.get("principal"), { storeId, fileId });
    return context.json(storeFileView(file));
  });

  routes.post("/:id/files/:file", async (context) => {
    const owner = context.get("principal");
    const { id: storeId, file: fileId } = context.req.param();
    const { attributes } = parseFields(changedFile, await readJson(context));
    await findUsableStore(vectorStores, owner, storeId);
    const data = { attributes: attributes ?? {} };
    const [outcome] = await store.write([
      { type: "change-store-file", owner, storeId, fileId, data },
    ]);
    if (outcome.status !== "changed_file") throw notFound("vector store file", fileId);
    return context.json(storeFileView(await findStoreFile(store, owner, { storeId, fileId })));
  });

  routes.delete("/:id/files/:file", async (context) => {
    const owner = context.get("principal");
    const { id: storeId, file: fileId } = context.req.param();
    const [outcome] = await store.write([{ type: "remove-store-file", owner, storeId, fileId }]);
    if (outcome.status !== "removed") throw notFound("vector store file", fileId);
    vectorStores.wake();
    return context.json({ id: fileId, object: "vector_store.file.deleted", deleted: true });
  });

  routes.get("/:id/files/:file/content", async (context) => {
    const owner = context.get("principal");
    const { id: storeId, file: fileId } = context.req.param();
    await findStoreFile(store, owner, { storeId, fileId });
    const parts = await store.readStoreFile({ owner, storeId, fileId });
    return streamJson(
      jsonChunks({
        object: "vector_store.file_content.page",
        data: parts.map(({ text }) => ({ type: "text", text })),
        has_more: false,
        next_page: null,
      }),
    );
  });

  routes.post("/:id/file_batches", async (context) => {
    const owner = context.get("principal");
    const storeId = context.req.param("id");
    const given = parseFields(addedBatch, await readJson(context));
    if ((given.file_ids == null) === (given.files == null))
      throw badRequest("file_ids", "Give either 'file_ids' or 'files'.");
    await findUsableStore(vectorStores, owner, storeId);
    const { attributes, chunking_strategy } = given;
    const files =
      given.files ??
      (given.file_ids ?? []).map((file_id) => ({ file_id, attributes, chunking_strategy }));
    const batchId = newId("vsfb_");
    const [outcome] = await store.write([addFilesWrite({ owner, storeId, files, batchId })]);
    requireAdded(outcome, storeId);
    vectorStores.wake();
    return context.json(await readBatch(owner, storeId, batchId));
  });

  const readBatch = async (owner: string, storeId: string, id: string) => {
    const batch = await findBatch(store, owner, { storeId, id });
    return batchView(batch, await store.countBatchFiles({ owner, id }));
  };

  routes.get("/:id/file_batches/:batch", async (context) => {
    const { id, batch } = context.req.param();
    return context.json(await readBatch(context.get("principal"), id, batch));
  });

  routes.post("/:id/file_batches/:batch/cancel", async (context) => {
    const owner = context.get("principal");
    const { id: storeId, batch } = context.req.param();
    await findBatch(store, owner, { storeId, id: batch });
    await store.write([{ type: "cancel-batch", owner, id: batch }]);
    vectorStores.wake();
    return context.json(await readBatch(owner, storeId, batch));
  });

  routes.get("/:id/file_batches/:batch/files", async (context) => {
    const owner = context.get("principal");
    const { id: storeId, batch } = context.req.param();
    await findBatch(store, owner, { storeId, id: batch });
    const status = readWord(context, "filter", statuses);
    const { data, hasMore } = await readPage(context, {
      store,
      query: { owner, of: { type: "batch", id: batch }, ...(status && { status }) },
      idOf: (id) => storeFileId(storeId, id),
      isInList: ({ kind, batchId }) => kind === "file" && batchId === batch,
    });
    return context.json(listView(data.map(storeFileView), hasMore));
  });

  return routes;
}
