import type {
  AuthoringOutcome,
  ScriptAuthoring,
  ScriptCallList,
  ScriptCallView,
  ScriptDeleted,
  ScriptDetail,
  ScriptsChanged,
  ScriptValueDeleted,
} from "@capstan/contract";
import type { JsonValue } from "@capstan/core";
import type { ListedCall, ListedCalls, RequestKey, RunRecord } from "@capstan/store";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { callView, runView } from "./runs.ts";
import { badRequest, conflict, notFound, RequestError } from "../http/errors.ts";
import { passedHeaders, toolContextOf } from "../http/tools/request-data.ts";
import { mayRepeat, readBody, readNumber, readWord } from "../http/read-body.ts";
import { startOnce } from "../http/request-keys.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { listView } from "../http/records.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import type { Environment, Services } from "../http/services.ts";
import { eventStream } from "../http/streams.ts";
import { oneCallModelId } from "../runs/active/run-models.ts";
import type { RunRequest } from "../runs/request/run-request.ts";

/** The largest script, in characters: far longer than a script written by hand. */
const maxSource = 1_000_000;

const source = z.string().max(maxSource, { error: `longer than ${maxSource} characters` });
const hash = z.string().min(1).max(200);
const checkBody = z.object({ name: z.string().max(200), source });
const createBody = z.object({ name: z.string().max(200) });
const saveBody = z.object({ source, based_on: hash });
const approveBody = z.object({ content_hash: hash });
const valueBody = z.object({ value: z.string() });
const callBody = z.object({
  tool: z.string().min(1).max(200),
  arguments: z.record(z.string(), z.unknown()),
});

type OfScripts = Context<Environment>;

/**
 * Routes to read, check, change, approve and try script files. They need the right `admin`. Tools
 * and models cannot reach them.
 */
export function scriptRoutes(
  services: Services & DirectCallView,
  budget: MemoryBudget,
): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { runs, limits } = services;
  const authoringOf = (): ScriptAuthoring => {
    if (services.scripts === undefined) throw noScripts;
    return services.scripts;
  };
  const idOf = (context: OfScripts) => context.req.param("id") ?? "";
  /** One file by its id. */
  const find = async (context: OfScripts) => {
    const authoring = authoringOf();
    const id = idOf(context);
    const found = authoring.list().find((script) => script.id === id);
    if (found === undefined) throw notFound("script", id);
    return { id, found, authoring };
  };

  // These responses contain files of this disk, so they must not be cached.
  routes.use(async (context, next) => {
    await next();
    context.header("Cache-Control", "no-store");
  });

  routes.get("/", (context) => context.json(listView(authoringOf().list())));

  routes.get("/events", (context) => {
    const authoring = authoringOf();
    const release = budget.takeStream(context.get("principal"));
    const stop = new AbortController();
    return eventStream({
      chunks: encoded(scriptChanges(authoring, stop.signal)),
      idleMs: limits.heartbeatMs,
      onIdle: () => ": waiting\n\n",
      onLeave: () => stop.abort(),
      onEnd: release,
    });
  });

  routes.post("/", async (context) => {
    const authoring = authoringOf();
    const { name } = await readBody(context, createBody);
    return context.json(detail(await authoring.create(name), name));
  });

  routes.post("/check", async (context) => {
    const authoring = authoringOf();
    const text = await readBody(context, checkBody);
    const { signal } = context.req.raw;
    const checked = await unlessGone(signal, () => authoring.check(text, signal));
    if ("status" in checked)
      throw badRequest(checked.field, `${checked.field}: ${checked.message}`);
    return context.json(checked);
  });

  routes.get("/environment", (context) => context.json(listView(authoringOf().values())));

  routes.put("/environment/:name", async (context) => {
    const authoring = authoringOf();
    const { value } = await readBody(context, valueBody);
    const outcome = authoring.setValue(context.req.param("name"), value);
    if (outcome.status === "invalid")
      throw badRequest(outcome.field, `${outcome.field}: ${outcome.message}`);
    return context.json(outcome.value);
  });

  routes.delete("/environment/:name", (context) => {
    const name = context.req.param("name");
    if (!authoringOf().removeValue(name)) throw notFound("script value", name);
    const deleted = { object: "script_value.deleted", name, deleted: true } as const;
    return context.json(deleted satisfies ScriptValueDeleted);
  });

  routes.get("/:id", async (context) => {
    const id = idOf(context);
    const authoring = authoringOf();
    const { signal } = context.req.raw;
    const read = await unlessGone(signal, () => authoring.read(id, signal));
    if (read === undefined) throw notFound("script", id);
    return context.json(read);
  });

  routes.get("/:id/files", async (context) => {
    const { id, authoring } = await find(context);
    const version = readWord(context, "version", ["current", "approved"]) ?? "current";
    const files = await authoring.files(id, version);
    if (files === undefined) throw notFound("version", `${version} of ${id}`);
    return context.json(files);
  });

  routes.put("/:id", async (context) => {
    const { id, authoring } = await find(context);
    const { source: text, based_on: basedOn } = await readBody(context, saveBody);
    return context.json(detail(await authoring.save(id, { source: text, basedOn }), id));
  });

  routes.delete("/:id", async (context) => {
    const { id, authoring } = await find(context);
    const outcome = await authoring.remove(id);
    if (outcome.status !== "removed") throw refused(outcome, id);
    return context.json({ id, object: "script.deleted", deleted: true } satisfies ScriptDeleted);
  });

  routes.post("/:id/restore", async (context) => {
    const id = idOf(context);
    return context.json(detail(await authoringOf().restore(id), id));
  });

  routes.post("/:id/approve", async (context) => {
    if (!mayApprove(context)) throw rightMissing("approve", "To approve a script");
    const { id, authoring } = await find(context);
    const { content_hash: contentHash } = await readBody(context, approveBody);
    return context.json(detail(await authoring.approve(id, contentHash), id));
  });

  routes.post("/:id/revoke", async (context) => {
    const { id, authoring } = await find(context);
    return context.json(detail(await authoring.revoke(id), id));
  });

  routes.get("/:id/calls", async (context) => {
    const { found } = await find(context);
    const owner = context.get("principal");
    const limit = readNumber(context, "limit", { min: 1, max: 100, otherwise: 20 });
    const listed = await Promise.all(
      found.groups.map((group) => runs.store.listCalls({ owner, group, limit: limit + 1 })),
    );
    return context.json(scriptCallList(listed, limit));
  });

  routes.post("/:id/calls", async (context) => {
    const { found } = await find(context);
    const { tool, arguments: args } = await readBody(context, callBody);
    const offered = found.tools.find(({ name }) => name === tool);
    if (offered === undefined)
      throw badRequest(
        "tool",
        `tool: ${found.name} has no tool "${tool}". It has: ${found.tools.map(({ name }) => name).join(", ") || "none"}.`,
      );
    const group = offered.id.slice(0, -tool.length - 1);
    const whole = { group, tool, arguments: JSON.stringify(args) };
    const owner = context.get("principal");
    const headers = passedHeaders(context.req.raw.headers, services.passedHeaders);
    const start = (key?: RequestKey) => startCall(services, { owner, call: whole, key, headers });
    return context.json(
      runView(mayRepeat(context) ? await startOnce(services, context, { start }) : await start()),
    );
  });

  return routes;
}

/**
 * Returns `undefined` if the client aborted, which happens often while a user types and is not an
 * error.
 */
async function unlessGone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted) throw conflict("The client aborted the request.");
    throw thrown;
  }
}

function detail(outcome: AuthoringOutcome, id: string): ScriptDetail {
  if (outcome.status === "done") return outcome.script;
  throw refused(outcome, id);
}

function refused(
  outcome: Exclude<AuthoringOutcome, { readonly status: "done" }>,
  id: string,
): RequestError {
  switch (outcome.status) {
    case "not_found":
      return notFound("script", id);
    case "conflict":
      return conflict(outcome.message);
    case "invalid":
      return badRequest(outcome.field, `${outcome.field}: ${outcome.message}`);
    default:
      return outcome satisfies never;
  }
}

const noScripts = new RequestError({
  status: 404,
  code: "no_scripts",
  message: "This server has no tool files.",
});

async function* encoded(events: AsyncIterable<{ readonly type: string }>): AsyncGenerator<string> {
  for await (const event of events)
    yield `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Merges the calls of a file's groups and returns the newest. */
export function scriptCallList(found: readonly ListedCalls[], limit: number): ScriptCallList {
  const newest = found
    .flatMap(({ calls }) => calls)
    .toSorted((a, b) => b.call.proposedAt - a.call.proposedAt);
  const unreadable = new Set(found.flatMap((each) => each.unreadable));
  return {
    ...listView(newest.slice(0, limit).map(scriptCallView), newest.length > limit),
    unreadable: [...unreadable],
  };
}

/** Returns a call of the ledger with its origin: a user or a model. */
function scriptCallView(listed: ListedCall): ScriptCallView {
  return { ...callView(listed), made_by: listed.model === oneCallModelId ? "person" : "model" };
}

/**
 * The view with which the Responses API shows a user's own call. It is a parameter because this
 * folder does not import the Responses API.
 */
export interface DirectCallView {
  readonly directCallView: () => JsonValue;
}

/** Starts a run with one call, which passes the same gate as a model's calls. */
export async function startCall(
  { runs, directCallView }: Pick<Services, "runs"> & DirectCallView,
  {
    owner,
    call,
    key,
    headers,
  }: {
    readonly owner: string;
    readonly call: { readonly group: string; readonly tool: string; readonly arguments: string };
    readonly key?: RequestKey | undefined;
    /** The request's headers that the tool receives. */
    readonly headers?: { readonly [name: string]: string };
  },
): Promise<RunRecord> {
  const { group, tool, arguments: args } = call;
  const toolId = `${group}.${tool}`;
  const text = `${toolId} ${args}`;
  const request: RunRequest = {
    principal: owner,
    model: oneCallModelId,
    instructions: null,
    context: [],
    inputMessages: [{ role: "user", content: text }],
    inputItems: [{ type: "message", role: "user", content: text }],
    parentId: null,
    conversationId: null,
    title: null,
    servers: [{ label: group, group, allowedTools: { toolNames: [tool] } }],
    clientTools: [],
    settings: {},
    maxToolCalls: 1,
    maxRounds: null,
    approvals: "inline",
    toolOutputs: "inline",
    history: "log",
    answers: [],
    outputs: [],
    continuesParent: false,
    toolContext: toolContextOf({ headers }),
    wire: directCallView(),
    call: { toolId, arguments: args },
  };
  const outcome = await runs.start(request, { key });
  if (outcome.status === "conflict") throw conflict(outcome.message);
  return outcome.run;
}

/**
 * Yields the current state immediately, and again after each change. Changes that arrive faster
 * than the client reads are merged, so that no queue grows.
 */
export async function* scriptChanges(
  authoring: Pick<ScriptAuthoring, "subscribe">,
  signal: AbortSignal,
): AsyncGenerator<ScriptsChanged> {
  let changed = Promise.withResolvers<void>();
  const notify = () => changed.resolve();
  const end = authoring.subscribe(notify);
  signal.addEventListener("abort", notify, { once: true });
  try {
    for (let revision = 1; !signal.aborted; revision++) {
      changed = Promise.withResolvers();
      yield { type: "scripts.changed", revision };
      await changed.promise;
    }
  } finally {
    end();
    signal.removeEventListener("abort", notify);
  }
}
