import { type Context, Hono } from "hono";
import type { JsonObject } from "@capstan/core";
import { newId } from "@capstan/core/host";
import { jsonChunks } from "@capstan/core/base";
import { isAccepted, type Store, type StoreWrite } from "@capstan/store";
import { z } from "zod";
import { checked, notFound } from "../http/errors.ts";
import { bytesOf, type MemoryBudget } from "../http/memory-budget.ts";
import { readJson } from "../http/read-body.ts";
import { createOnce } from "../http/request-keys.ts";
import type { Environment, Services } from "../http/services.ts";
import { streamJson } from "../http/streams.ts";
import { requireNoActiveRun, requireNoOpenCalls } from "./active-run.ts";
import { isWritten, messageWrite, threadLimit } from "./create-thread.ts";
import { pageOf, readPageQuery } from "./list-page.ts";
import {
  changedView,
  createdView,
  type MessageChange,
  messageData,
  type MessageView,
} from "./message-view.ts";
import { metadata, objectBody, rejectUnknown } from "./request/fields.ts";
import { fileIdsOf, parseMessage } from "./request/parse-message.ts";
import { requireFiles } from "./require-files.ts";
import { findThread, requireWritten, restateIfRead, type Thread, threadWrite } from "./thread.ts";
import { messagesOf, messagesOfRun, readThreadParts, type ThreadParts } from "./thread-messages.ts";

const change = z.object({ metadata });

/** Routes of the messages of threads. */
export function messageRoutes(services: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = services.runs;
  const find = (context: Context<Environment>): Promise<Thread> =>
    findThread(store, { owner: context.get("principal"), id: context.req.param("id") ?? "" });
  const findMessage = async (context: Context<Environment>) => {
    const thread = await find(context);
    const id = context.req.param("messageId") ?? "";
    const found = await readMessage(store, thread, id);
    if (found === undefined) throw notFound("message", id);
    return { thread, ...found };
  };

  routes.get("/:id/messages", async (context) => {
    const thread = await find(context);
    const query = readPageQuery(context);
    const runId = context.req.query("run_id");
    const { owner } = thread.conversation;
    const { page, release } = await budget.readOneByOne(owner, async () => {
      const parts = await readThreadParts(store, thread);
      const all =
        runId === undefined
          ? messagesOf(store, parts, query.order)
          : await ofRun(store, { thread, parts, runId, order: query.order });
      const found = await pageOf(query, all);
      return { page: found, release: budget.take(owner, bytesOf(found)) };
    });
    return streamJson(jsonChunks(page), release);
  });

  routes.post("/:id/messages", async (context) => {
    const thread = await find(context);
    const { owner, id, headRunId } = thread.conversation;
    const message = parseMessage(await readJson(context));
    await requireFiles(store, { owner, ids: fileIdsOf(message), at: "content" });
    const created = await createOnce(services, context, async (claim) => {
      const head = headRunId === null ? undefined : await store.getRun({ owner, id: headRunId });
      if (head !== undefined) requireNoActiveRun(thread, head);
      const messageId = newId("msg_");
      const write = { ...messageWrite({ owner, id }, message, messageId), limit: threadLimit };
      const writes = [write, ...(claim ? [claim(messageId)] : [])];
      const missing = notFound("thread", id);
      return isWritten(await store.write(writes), missing) ? messageId : undefined;
    });
    const object = await store.getThreadObject({ owner, id: created });
    if (object === undefined) throw notFound("message", created);
    return context.json(createdView(object));
  });

  routes.get("/:id/messages/:messageId", async (context) =>
    context.json((await findMessage(context)).view),
  );

  routes.post("/:id/messages/:messageId", async (context) => {
    const { thread, view, created } = await findMessage(context);
    const body = objectBody(await readJson(context));
    rejectUnknown(body, change.shape);
    const { metadata: given } = checked(change, body, "");
    if (given == null) return context.json(view);
    const data = created === undefined ? undefined : { ...created, metadata: given };
    const changed: MessageChange = { type: "changed", metadata: given };
    const write = objectWrite(thread, view.id, (data ?? changed) as unknown as JsonObject);
    if (!(await store.write([write])).every(isAccepted)) throw notFound("message", view.id);
    return context.json({ ...view, metadata: given });
  });

  routes.delete("/:id/messages/:messageId", async (context) => {
    const { thread, view, created } = await findMessage(context);
    const { conversation } = thread;
    const { owner } = conversation;
    const head = conversation.headRunId;
    const run = head === null ? undefined : await store.getRun({ owner, id: head });
    if (run !== undefined) requireNoActiveRun(thread, run);
    const changed: MessageChange = { type: "changed", isDeleted: true };
    const { pending } = await readThreadParts(store, thread);
    const isRead = !pending.some(({ id }) => id === view.id);
    // The response that continues the open turn would still read the message.
    if (isRead && run !== undefined) requireNoOpenCalls(run);
    const outcomes = await store.write([
      created === undefined
        ? objectWrite(thread, view.id, changed as unknown as JsonObject)
        : { type: "delete-thread-object", owner, id: view.id },
      ...(isRead ? [threadWrite(thread, { mustRestate: true })] : []),
    ]);
    requireWritten(outcomes, notFound("message", view.id));
    // A run that has started in the meantime may have read the message.
    if (!isRead) await restateIfRead(store, thread, [view.id]);
    return context.json({ id: view.id, object: "thread.message.deleted", deleted: true });
  });

  return routes;
}

/** Reads the messages that have the id of one run of a thread. */
async function ofRun(
  store: Store,
  {
    thread: { conversation },
    parts: { objects },
    runId,
    order,
  }: {
    readonly thread: Thread;
    readonly parts: Pick<ThreadParts, "objects">;
    readonly runId: string;
    readonly order: "asc" | "desc";
  },
): Promise<readonly MessageView[]> {
  const { owner, id } = conversation;
  const run = await store.getRun({ owner, id: runId.replace(/^run_/, "resp_") });
  if (run?.conversationId !== id) return [];
  // Messages that the run only read have no run id.
  const messages = (await messagesOfRun(store, run, { objects, older: undefined })).filter(
    (message) => message["run_id"] === runId,
  );
  return order === "asc" ? messages : messages.toReversed();
}

function objectWrite(
  { conversation: { owner, id: conversationId } }: Thread,
  id: string,
  data: JsonObject,
): StoreWrite {
  return { type: "save-thread-object", owner, id, conversationId, kind: "message", data };
}

/** Reads a message of a thread, with its stored data if a client added it. */
async function readMessage(store: Store, { conversation }: Thread, id: string) {
  const { owner, id: conversationId } = conversation;
  const object = await store.getThreadObject({ owner, id });
  const known = object?.conversationId === conversationId ? object : undefined;
  const data = known && messageData(known);
  if (known !== undefined && data?.type === "created") {
    const view = createdView(known);
    return view && { view, created: data };
  }
  // Its id names the run that wrote it.
  const suffix = /^msg_(.+)_\d+(?:_in)?$/.exec(id)?.[1];
  const run =
    suffix === undefined ? undefined : await store.getRun({ owner, id: `resp_${suffix}` });
  if (run === undefined || run.conversationId !== conversationId) return undefined;
  const messages = await messagesOfRun(store, run, { objects: new Map(), older: undefined });
  const message = messages.find((each) => each.id === id);
  const view = message && changedView(message, known);
  return view && { view, created: undefined };
}
