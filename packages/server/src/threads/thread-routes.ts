import { type Context, Hono } from "hono";
import { isClosing } from "@capstan/store";
import { z } from "zod";
import { checked, conflict, notFound } from "../http/errors.ts";
import { readJson } from "../http/read-body.ts";
import { createOnce } from "../http/request-keys.ts";
import type { Environment, Services } from "../http/services.ts";
import { copyMessages } from "./copy-messages.ts";
import { createThread, isWritten, messageWrites, requireThreadFiles } from "./create-thread.ts";
import { metadata, objectBody, rejectUnknown } from "./request/fields.ts";
import { parseThread } from "./request/parse-thread.ts";
import { parseToolResources } from "./request/tool-resources.ts";
import { requireFiles } from "./require-files.ts";
import { wireThreadId } from "./run-wire.ts";
import { hasOpenCalls, requireNoActiveRun } from "./active-run.ts";
import { findThread, requireWritten, type Thread, threadView, threadWrite } from "./thread.ts";
import { readThreadParts } from "./thread-messages.ts";

const change = z.object({ metadata, tool_resources: z.unknown().optional() });

/** Routes of threads. A thread is a conversation. */
export function threadRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs } = services;
  const { store } = runs;
  const find = (context: Context<Environment>, name = "id"): Promise<Thread> =>
    findThread(store, {
      owner: context.get("principal"),
      id: context.req.param(name) ?? "",
    });

  routes.post("/", async (context) => {
    const parsed = parseThread(await readJson(context));
    const owner = context.get("principal");
    await requireThreadFiles(services, owner, parsed);
    const id = await createOnce(services, context, (claim) =>
      createThread(services, owner, parsed, { claim }),
    );
    return context.json(threadView(await findThread(store, { owner, id: wireThreadId(id) })));
  });

  routes.get("/:id", async (context) => context.json(threadView(await find(context))));

  routes.post("/:id", async (context) => {
    const thread = await find(context);
    const { conversation, data } = thread;
    const { owner, id } = conversation;
    const body = objectBody(await readJson(context));
    rejectUnknown(body, change.shape);
    const given = checked(change, body, "");
    const resources =
      given.tool_resources === undefined
        ? data.tool_resources
        : parseToolResources(given.tool_resources);
    const files = resources?.code_interpreter?.file_ids ?? [];
    await requireFiles(store, { owner, ids: files, at: "tool_resources" });
    const update = given.metadata == null ? {} : { metadata: given.metadata };
    const outcomes = await store.write([
      { type: "update-conversation", owner, id, update },
      ...(given.tool_resources === undefined
        ? []
        : [threadWrite(thread, { tool_resources: resources })]),
    ]);
    requireWritten(outcomes, notFound("thread", wireThreadId(id)));
    return context.json(threadView(await find(context)));
  });

  routes.delete("/:id", async (context) => {
    const { conversation } = await find(context);
    const outcome = await runs.deleteConversation(conversation);
    const id = wireThreadId(conversation.id);
    if (outcome.status === "not_found") throw notFound("thread", id);
    if (outcome.status === "refused") throw conflict(outcome.reason);
    return context.json({ id, object: "thread.deleted", deleted: true });
  });

  routes.post("/:id/fork", async (context) => {
    const source = await find(context);
    const { owner, headRunId, metadata: given } = source.conversation;
    const id = await createOnce(services, context, async (claim) => {
      const parts = await readThreadParts(store, source);
      const head = await parts.runs.at(0);
      if (head !== undefined && !isClosing(head.status)) requireNoActiveRun(source, head);
      // The first run continues the newest run of the source thread, so it has that run's variables
      // and grants. It does not take over calls that wait for outputs or approvals.
      const all = await parts.runs.all();
      const continued = all.findLast((run) => !hasOpenCalls(run));
      const [oldest] = all;
      const continues = oldest === undefined ? headRunId : (continued?.id ?? oldest.parentId);
      const messages = await copyMessages(store, parts);
      const fork = { messages, metadata: given, resources: source.data.tool_resources };
      return createThread(services, owner, fork, { continues, claim });
    });
    return context.json(threadView(await findThread(store, { owner, id: wireThreadId(id) })));
  });

  routes.post("/:id/copy_to/:target", async (context) => {
    const source = await find(context);
    const target = await find(context, "target");
    const { owner, id } = target.conversation;
    const head = target.conversation.headRunId;
    await createOnce(services, context, async (claim) => {
      const run = head === null ? undefined : await store.getRun({ owner, id: head });
      if (run !== undefined) requireNoActiveRun(target, run);
      const messages = await copyMessages(store, await readThreadParts(store, source));
      const writes = [...messageWrites({ owner, id }, messages), ...(claim ? [claim(id)] : [])];
      const missing = notFound("thread", wireThreadId(id));
      return isWritten(await store.write(writes), missing) ? id : undefined;
    });
    return context.json(threadView(target));
  });

  return routes;
}
