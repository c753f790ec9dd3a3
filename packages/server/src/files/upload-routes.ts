import { createHash } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { newId } from "@capstan/core/host";
import type { UploadPartView } from "@capstan/contract";
import { isAccepted, type Store, type UploadPart, type UploadRecord } from "@capstan/store";
import { badRequest, checked, conflict, notFound } from "../http/errors.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { readJson } from "../http/read-body.ts";
import { createOnce } from "../http/request-keys.ts";
import type { Environment, Services } from "../http/services.ts";
import { fileType } from "../runs/files/file-name.ts";
import { quotaOf } from "../runs/files/tool-files.ts";
import { checkFileName } from "./file-name.ts";
import { overQuota, purposeOf, ttlOf } from "./file-options.ts";
import { seconds, uploadView } from "./file-view.ts";
import { receiveForm } from "./receive-form.ts";

/** The time after which an upload expires, in ms. */
const uploadMs = 60 * 60 * 1_000;

/** The maximum number of bytes of a part. */
const maxPartBytes = 64 * 1_048_576;

const newUpload = z.object({
  filename: z.string(),
  purpose: z.string(),
  bytes: z.int().min(1),
  mime_type: z.string(),
  expires_after: z.object({ anchor: z.string(), seconds: z.number() }).nullish(),
});

const completion = z.object({
  part_ids: z.array(z.string()).min(1).max(10_000),
  md5: z.string().nullish(),
});

/** Routes of uploads: files that clients send in parts. */
export function uploadRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const { runs, limits } = services;
  const routes = new Hono<Environment>();
  const { store } = runs;

  const find = async (owner: string, id: string): Promise<UploadRecord> => {
    const upload = await store.getUpload({ owner, id });
    if (upload === undefined) throw notFound("upload", id);
    return upload;
  };

  /** Finds an upload that parts can be added to. */
  const findPending = async (owner: string, id: string): Promise<UploadRecord> => {
    const upload = await find(owner, id);
    if (upload.status === "pending") return upload;
    throw conflict(`The upload "${id}" is ${upload.status}. Create another one.`);
  };

  routes.post("/", async (context) => {
    const owner = context.get("principal");
    const body = checked(newUpload, await readJson(context), "");
    const name = checkFileName(body.filename, "filename");
    const purpose = purposeOf(body.purpose);
    const fileTtlMs = ttlOf({
      anchor: body.expires_after?.anchor,
      seconds: body.expires_after?.seconds,
    });
    const { bytes } = body;
    if (bytes > limits.fileBytes)
      throw badRequest(
        "bytes",
        `Invalid 'bytes': ${bytes}, and this server accepts files of at most ${limits.fileBytes} bytes (limits.fileBytes).`,
      );
    const mimeType = fileType(body.mime_type, name);
    const ttl = fileTtlMs === undefined ? {} : { fileTtlMs };
    const id = await createOnce(services, context, async (claim) => {
      const created = newId("upload_");
      const upload = {
        id: created,
        owner,
        name,
        mimeType,
        bytes,
        purpose,
        ...ttl,
        ttlMs: uploadMs,
      };
      const writes = [
        { type: "create-upload", upload } as const,
        ...(claim ? [claim(created)] : []),
      ];
      return (await store.write(writes)).every(isAccepted) ? created : undefined;
    });
    return context.json(uploadView(await find(owner, id), undefined));
  });

  routes.post("/:id/parts", async (context) => {
    const owner = context.get("principal");
    const uploadId = context.req.param("id");
    const upload = await findPending(owner, uploadId);
    const release = budget.takeStream(owner);
    try {
      const { file } = await receiveForm(context.req.raw, {
        store,
        fileField: "data",
        fields: [],
        maxBytes: Math.min(maxPartBytes, upload.bytes),
      });
      const { blob } = file;
      try {
        const id = newId("part_");
        const outcome = await store.writeWithBlob(blob, {
          type: "add-upload-part",
          owner,
          uploadId,
          id,
          blob: { sha256: blob.sha256, size: blob.size },
          quota: quotaOf(limits),
        });
        if (outcome.status === "added_part") {
          const created_at = seconds(outcome.createdAt);
          const part = { id, object: "upload.part", created_at, upload_id: uploadId } as const;
          return context.json(part satisfies UploadPartView);
        }
        await findPending(owner, uploadId);
        throw overQuota("reason" in outcome ? outcome.reason : "The part was not stored.");
      } finally {
        await blob.discard();
      }
    } finally {
      release();
    }
  });

  routes.post("/:id/complete", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    const { part_ids: partIds, md5 } = checked(completion, await readJson(context), "");
    const upload = await findPending(owner, id);
    const parts = inOrder(partIds, await store.readUploadParts({ owner, id }));
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (bytes !== upload.bytes)
      throw badRequest(
        "part_ids",
        `Invalid 'part_ids': the parts have ${bytes} bytes, and the upload was created with ${upload.bytes}.`,
      );
    const hash = createHash("md5");
    const blob = await store.receiveBlob(contentOf(parts, store, hash));
    try {
      const digest = hash.digest("hex");
      if (md5 != null && md5.toLowerCase() !== digest)
        throw badRequest(
          "md5",
          `Invalid 'md5': the content of the parts has the MD5 ${digest}. Check their order.`,
        );
      const { name, mimeType, purpose, fileTtlMs } = upload;
      const ttl = fileTtlMs === null ? {} : { ttlMs: fileTtlMs };
      const fileId = newId("file-");
      const outcome = await store.writeWithBlob(blob, {
        type: "end-upload",
        owner,
        id,
        completed: {
          file: { id: fileId, owner, name, mimeType, purpose, source: "upload", ...ttl },
          blob: { sha256: blob.sha256, size: blob.size },
          quota: quotaOf(limits),
        },
      });
      if (outcome.status === "ended_upload") {
        const file = await store.getFile({ owner, id: fileId });
        return context.json(uploadView(outcome.upload, file));
      }
      await findPending(owner, id);
      throw overQuota("reason" in outcome ? outcome.reason : "The file was not stored.");
    } finally {
      await blob.discard();
    }
  });

  routes.post("/:id/cancel", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    await findPending(owner, id);
    const [outcome] = await store.write([{ type: "end-upload", owner, id }]);
    if (outcome.status === "ended_upload")
      return context.json(uploadView(outcome.upload, undefined));
    await findPending(owner, id);
    throw notFound("upload", id);
  });

  return routes;
}

/** Returns the parts with these ids, in their order. */
function inOrder(ids: readonly string[], parts: readonly UploadPart[]): readonly UploadPart[] {
  const known = new Map(parts.map((part) => [part.id, part]));
  if (new Set(ids).size < ids.length)
    throw badRequest("part_ids", "Invalid 'part_ids': the list has an id twice.");
  return ids.map((id, index) => {
    const part = known.get(id);
    if (part !== undefined) return part;
    const param = `part_ids[${index}]`;
    throw badRequest(param, `Invalid '${param}': the upload has no part "${id.slice(0, 100)}".`);
  });
}

async function* contentOf(
  parts: readonly UploadPart[],
  store: Pick<Store, "streamBlob">,
  hash: { update(piece: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for (const { id, sha256 } of parts) {
    const pieces = await store.streamBlob(sha256);
    if (pieces === undefined)
      throw conflict(`The content of the part "${id}" is missing. Upload the part again.`);
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  }
}
