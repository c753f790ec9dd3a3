import { Hono } from "hono";
import { newId } from "@capstan/core/host";
import type { FileDeleted, FileLinkView } from "@capstan/contract";
import type { FileRecord } from "@capstan/store";
import { badRequest, notFound, RequestError } from "../http/errors.ts";
import { createFileLink, openFileLink } from "../http/files/file-links.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { readNumber, readWord } from "../http/read-body.ts";
import { listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";
import { fileType } from "../runs/files/file-name.ts";
import { quotaOf } from "../runs/files/tool-files.ts";
import { checkFileName } from "./file-name.ts";
import { overQuota, purposeOf, ttlOf } from "./file-options.ts";
import { fileEntry, fileView, seconds } from "./file-view.ts";
import { receiveForm } from "./receive-form.ts";
import { serveContent } from "./serve-content.ts";

/** The maximum number of files in a list. */
const maxPage = 10_000;

/** Routes of users' files. */
export function fileRoutes(
  { runs, limits, sealer, vectorStores }: Services,
  budget: MemoryBudget,
): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = runs;

  const find = async (owner: string, id: string): Promise<FileRecord> => {
    const file = await store.getFile({ owner, id });
    if (file === undefined) throw notFound("file", id);
    return file;
  };

  /** Returns the id of the conversation or thread that a query names. */
  const readConversation = async (
    owner: string,
    given: string | undefined,
  ): Promise<string | undefined> => {
    if (given === undefined) return undefined;
    const id = given.replace(/^thread_/, "conv_");
    if ((await store.getConversation({ owner, id })) === undefined)
      throw notFound("conversation", given);
    return id;
  };

  routes.post("/", async (context) => {
    const owner = context.get("principal");
    const release = budget.takeStream(owner);
    try {
      const { fields, file } = await receiveForm(context.req.raw, {
        store,
        fileField: "file",
        fields: ["purpose", "expires_after[anchor]", "expires_after[seconds]"],
        maxBytes: limits.fileBytes,
      });
      const { blob } = file;
      try {
        const name = checkFileName(file.name, "file.filename");
        const ttlMs = ttlOf({
          anchor: fields.get("expires_after[anchor]"),
          seconds: fields.get("expires_after[seconds]"),
        });
        const id = newId("file-");
        const outcome = await store.writeWithBlob(blob, {
          type: "create-file",
          file: {
            id,
            owner,
            name,
            mimeType: fileType(file.mimeType, name),
            purpose: purposeOf(fields.get("purpose")),
            source: "upload",
            ...(ttlMs !== undefined && { ttlMs }),
          },
          blob: { sha256: blob.sha256, size: blob.size },
          quota: quotaOf(limits),
        });
        if (outcome.status === "refused") throw overQuota(outcome.reason);
        return context.json(fileView(await find(owner, id)));
      } finally {
        await blob.discard();
      }
    } finally {
      release();
    }
  });

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const limit = readNumber(context, "limit", { min: 1, max: maxPage, otherwise: maxPage });
    const order = readWord(context, "order", ["asc", "desc"]);
    const purpose = context.req.query("purpose");
    const conversationId = await readConversation(owner, context.req.query("conversation"));
    const given = context.req.query("after");
    const after =
      given === undefined ? undefined : await store.findFileCursor({ owner, id: given });
    if (given !== undefined && after === undefined)
      throw badRequest("after", `after: there is no file "${given.slice(0, 100)}" here.`);
    const { data, hasMore } = await store.listFiles({
      owner,
      limit,
      ...(order && { order }),
      ...(purpose !== undefined && { purpose }),
      ...(conversationId !== undefined && { conversationId }),
      ...(after && { after }),
    });
    return context.json(listView(data.map(fileEntry), hasMore));
  });

  routes.get("/:id", async (context) =>
    context.json(fileView(await find(context.get("principal"), context.req.param("id")))),
  );

  routes.get("/:id/content", async (context) => {
    const file = await find(context.get("principal"), context.req.param("id"));
    return serveContent(context, { store, budget, file });
  });

  routes.post("/:id/link", async (context) => {
    const owner = context.get("principal");
    const { id } = await find(owner, context.req.param("id"));
    const { origin } = new URL(context.req.url);
    const { url, expiresAt } = createFileLink({ sealer, origin, owner, fileId: id });
    const link: FileLinkView = { object: "file.link", id, url, expires_at: seconds(expiresAt) };
    return context.json(link);
  });

  routes.get("/:id/download", async (context) => {
    const fileId = context.req.param("id");
    const token = context.req.query("token") ?? "";
    const owner = openFileLink({ sealer, fileId, token });
    if (owner === undefined) throw invalidLink();
    const file = await find(owner, fileId);
    return serveContent(context, { store, budget, file, isLinked: true });
  });

  routes.delete("/:id", async (context) => {
    const id = context.req.param("id");
    const owner = context.get("principal");
    const [outcome] = await store.write([{ type: "delete-file", owner, id }]);
    if (outcome.status !== "deleted") throw notFound("file", id);
    vectorStores.wake();
    return context.json({ id, object: "file", deleted: true } satisfies FileDeleted);
  });

  return routes;
}

function invalidLink(): RequestError {
  return new RequestError({
    status: 403,
    code: "invalid_link",
    param: "token",
    message:
      "This link has expired, or is not a link of this server. POST /v1/files/{id}/link makes a new one.",
  });
}
