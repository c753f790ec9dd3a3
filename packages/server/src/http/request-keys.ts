import { createHash } from "node:crypto";
import {
  storedOutcomes,
  type RequestKey,
  type RequestKeyRecord,
  type RunRecord,
  type StoreWrite,
} from "@capstan/store";
import type { Context, Next } from "hono";
import { badRequest, RequestError } from "./errors.ts";
import { withClaim } from "../runs/active/run-stores.ts";
import { watchOutput } from "../runs/produced-output.ts";
import { bodyDigest, mayRepeat } from "./read-body.ts";
import type { Environment, Services } from "./services.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The maximum length of a stored response. */
const maxResponse = 1_048_576;

/** These routes store the key in the commit that creates their run, thread or other resource. */
const createsItself =
  /^\/v1\/(responses|chat\/completions|conversations(?:\/[^/]+\/items)?|threads(?:\/[^/]+\/(?:fork|messages|copy_to\/[^/]+))?|threads\/(?:[^/]+\/)?runs|runs\/[^/]+\/retry|scripts\/[^/]+\/calls|uploads)$/;

/**
 * Responses of these routes are not stored. Counts, checks and previews change nothing, previews
 * show results under review, and pairing responses contain secrets. A pairing code works only once
 * anyway. Outputs of client tools count once, whatever the key, and their response can be a stream.
 */
const storesNothing =
  /^\/v1\/(responses\/input_tokens|approvals\/[^/]+\/preview|scripts\/check|pairings|sessions|threads\/[^/]+\/runs\/[^/]+\/submit_tool_outputs)$/;

type ApiContext = Context<Environment>;

/** Returns the write that stores a request's key with the resource that the request creates. */
export type ClaimOf = (resourceId: string) => Extract<StoreWrite, { type: "claim-key" }>;

/** The key of a request that can be repeated. */
interface GivenKey extends Pick<RequestKey, "id" | "digest"> {
  /** Whether the client chose the key. Otherwise the key is the digest of the body. */
  readonly isChosen: boolean;
  /**
   * Whether the client may have sent the request before: it says that this is a repeat, or it chose
   * the key.
   */
  readonly mayBeKnown: boolean;
}

/**
 * Handles a request with an `Idempotency-Key` once: a repeat gets the first response. The commit of
 * its effect also stores the key. If the server was killed before it stored the response, a repeat
 * rebuilds the response from the effect's outcome. Routes that create runs or conversations handle
 * the key themselves.
 */
export async function answerOnce(
  { runs }: Services,
  context: ApiContext,
  next: Next,
): Promise<Response | void> {
  const { path } = context.req;
  if (createsItself.test(path) || storesNothing.test(path)) return next();
  const key = await readKey(context);
  const found = await findKnown(runs.stores.all, context, key);
  const answerOf = (record: RequestKeyRecord | undefined) =>
    record === undefined || record.resourceId === storedOutcomes
      ? undefined
      : context.body(record.response ?? "{}", 200, { "Content-Type": "application/json" });
  const first = answerOf(found);
  if (first !== undefined) return first;
  const known = found && (JSON.parse(found.response ?? "[]") as readonly unknown[]);
  const owner = context.get("principal");
  const { id, digest } = key;
  const claim = { owner, key: { id, digest, ttlMs: 24 * hourMs }, known, isTaken: false };
  await withClaim(claim, next);
  if (!context.res.ok) {
    // The same request may have been answered while this one was served.
    const answer = answerOf(await findKnown(runs.stores.all, context, key));
    if (answer !== undefined) context.res = answer;
    return;
  }
  const response = await textUpTo(maxResponse, context.res.clone());
  if (response === undefined) return;
  const replaces = claim.isTaken ? { replaces: storedOutcomes } : {};
  await runs.store.write([
    { type: "claim-key", owner, key: { ...claim.key, ...replaces }, response },
  ]);
}

/**
 * Returns the text of a response, or `undefined` if it is longer. The rest of a longer one is not
 * read: it would wait in memory until the client has read its own copy.
 */
async function textUpTo(limit: number, { body }: Response): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
    if (text.length <= limit) continue;
    // Not awaited: it resolves when the other copy has been read, too.
    reader.cancel().catch(() => {});
    return undefined;
  }
  return text + decoder.decode();
}

/**
 * Starts a run, or returns the run that the same request started before.
 *
 * @param isDurable whether the run is stored. @default true
 * @param start starts the run and stores the key in the same commit
 */
export async function startOnce(
  { runs }: Services,
  context: ApiContext,
  { isDurable = true, part = 0, start }: StartOnce,
): Promise<RunRecord> {
  const given = partOf(await readKey(context), part);
  const stores = runs.stores.all;
  const find = async () =>
    runOf(runs, context, given.mayBeKnown ? await findKnown(stores, context, given) : undefined);
  const ttlMs = given.isChosen ? (isDurable ? 24 * hourMs : 10 * minuteMs) : 5 * minuteMs;
  const { id, digest } = given;
  const before = await find();
  if (before !== undefined && !(await isFree(runs, before, given))) return before;
  const replaces = given.mayBeKnown ? before?.id : "any";
  const key = { id, digest, ttlMs, ...(replaces !== undefined && { replaces }) };
  // The client has given up this try and may have sent another one.
  if (context.req.raw.signal.aborted) throw requestInProgress();
  try {
    const continues = before !== undefined && (isStopped(before) || before.conversationId !== null);
    if (!continues) return await start(key);
    // The retry keeps completed effects, and adds no second message to the conversation.
    const outcome = await runs.retry(before, before.model, key);
    if (outcome.status === "started") return outcome.run;
    throw new RequestError({ status: 409, code: "conflict", message: outcome.message });
  } catch (thrown) {
    if (!(thrown instanceof RequestError) || thrown.status !== 409) throw thrown;
    const first = await find();
    if (first === undefined || first.id === before?.id) throw thrown;
    return first;
  }
}

interface StartOnce {
  readonly isDurable?: boolean;
  /** The run's number, if one request starts several. @default 0 */
  readonly part?: number;
  readonly start: (key: RequestKey) => Promise<RunRecord>;
}

/**
 * Returns whether the client of a request can reconnect for the response. If so, the request
 * continues when the client disconnects.
 */
export function comesBack({ req }: Context): boolean {
  return req.header("idempotency-key") !== undefined;
}

/**
 * Creates a resource. If the request can be repeated, stores its key in the same commit; if it is a
 * repeat of a request that has created the resource, only returns the resource's id.
 *
 * @param create adds the given write to its commit, and resolves with `undefined` if another request
 * took the key in the meantime
 * @param options.part the resource's name, if the request creates several
 */
export async function createOnce(
  { runs }: Pick<Services, "runs">,
  context: ApiContext,
  create: (claim?: ClaimOf) => Promise<string | undefined>,
  { part }: { readonly part?: string } = {},
): Promise<string> {
  if (!mayRepeat(context)) return (await create()) ?? "";
  const given = partOf(await readKey(context), part);
  const { id, digest, isChosen, mayBeKnown } = given;
  const owner = context.get("principal");
  const find = async () => (await findKnown([runs.store], context, given))?.resourceId;
  const ttlMs = isChosen ? 24 * hourMs : 5 * minuteMs;
  // An equal body alone does not make a request a repeat.
  const key = { id, digest, ttlMs, ...(!mayBeKnown && { replaces: "any" }) };
  const claim: ClaimOf = (resourceId) => ({ type: "claim-key", owner, resourceId, key });
  const made = (mayBeKnown ? await find() : null) ?? (await create(claim)) ?? (await find());
  if (made == null)
    throw new RequestError({ status: 409, code: "conflict", message: requestInProgress().message });
  return made;
}

async function readKey(context: ApiContext): Promise<GivenKey> {
  const { method, path } = context.req;
  const chosen = context.req.header("idempotency-key");
  if (chosen !== undefined && !/^[\x21-\x7e]{1,255}$/.test(chosen))
    throw badRequest(
      "idempotency-key",
      "Idempotency-Key: expected 1 to 255 printable ASCII characters without spaces. A random UUID is a good key.",
    );
  const digest = sha256(`${method} ${path}\n${await bodyDigest(context)}`);
  if (chosen !== undefined)
    return { id: `key_${sha256(chosen)}`, digest, isChosen: true, mayBeKnown: true };
  const tries = Number(context.req.header("x-stainless-retry-count"));
  return { id: `body_${digest}`, digest, isChosen: false, mayBeKnown: tries > 0 };
}

/** Returns the key of one of several runs or resources that a request creates. */
function partOf(key: GivenKey, part: number | string = 0): GivenKey {
  return part === 0 ? key : { ...key, id: `${key.id}_${part}` };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

type Stores = Services["runs"]["stores"]["all"];

async function findKnown(
  stores: Stores,
  context: ApiContext,
  { id, digest }: GivenKey,
): Promise<RequestKeyRecord | undefined> {
  const owner = context.get("principal");
  const found = await Promise.all(stores.map((store) => store.getRequestKey({ owner, id })));
  const known = found.find((record) => record !== undefined);
  if (known === undefined || known.digest === digest) return known;
  throw new RequestError({
    status: 422,
    code: "idempotency_key_reused",
    param: "idempotency-key",
    message:
      "This Idempotency-Key was already used with another route or body. Nothing was done. Send a new key for a new request.",
  });
}

async function runOf(
  { stores }: Services["runs"],
  context: ApiContext,
  known: RequestKeyRecord | undefined,
): Promise<RunRecord | undefined> {
  if (known?.resourceId == null) return undefined;
  const id = known.resourceId;
  return stores.of(id).getRun({ owner: context.get("principal"), id });
}

/**
 * Returns whether a repeat starts a new try: the first one failed without output, or was stopped
 * because its client disconnected.
 */
async function isFree(
  { stores }: Services["runs"],
  run: RunRecord,
  { isChosen }: GivenKey,
): Promise<boolean> {
  if (isStopped(run)) return !isChosen;
  if (run.status !== "failed") return false;
  const { id: runId, owner } = run;
  const all = await stores.of(runId).readEventsCompact({ owner, runId });
  const output = watchOutput();
  for (const event of all?.events ?? []) output.push(event);
  return !output.hasOutput();
}

function isStopped({ status }: RunRecord): boolean {
  return status === "cancelled";
}

function requestInProgress(): RequestError {
  return new RequestError({
    status: 409,
    code: "conflict",
    message: "The same request is being served. Try again in a moment.",
  });
}
