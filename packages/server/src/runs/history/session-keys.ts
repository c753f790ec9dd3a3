import { createHash } from "node:crypto";
import type { VariableSystem } from "@capstan/core";
import type { RequestKey, RunRecord } from "@capstan/store";
import { type HistoryScope, readableStores } from "./find-answered-run.ts";

/** The texts by which a client marks the requests of one conversation, the most specific first. */
export interface SessionMarks {
  /** The request's `prompt_cache_key`. */
  readonly promptCacheKey?: string | undefined;
  /** The value of a session header. */
  readonly header?: string | undefined;
}

/** Headers by which clients mark the requests of one conversation. */
const sessionHeaders = ["session-id", "x-session-id"];

/** The longest mark; longer ones are ignored. */
const maxMark = 256;

/**
 * Returns the value of a request's first session header.
 *
 * @param header returns the value of one header
 */
export function sessionHeader(header: (name: string) => string | undefined): string | undefined {
  return sessionHeaders
    .map(header)
    .find((mark) => mark !== undefined && mark !== "" && mark.length <= maxMark);
}

/** How long a session is found by its marks after its newest run began, in ms. */
const rememberedMs = 30 * 24 * 3_600_000;

/**
 * Returns the keys under which the runs of a session are remembered; a new run takes them over from
 * the one before it. Marks are short texts of clients, so the keys are their digests.
 */
export function sessionKeys({ promptCacheKey, header }: SessionMarks): readonly RequestKey[] {
  const marks = { promptCacheKey, header };
  return Object.entries(marks).flatMap(([kind, mark]) =>
    mark === undefined || mark === "" ? [] : [sessionKey(kind, mark)],
  );
}

function sessionKey(kind: string, mark: string): RequestKey {
  const digest = createHash("sha256").update(`${kind}\n${mark}`).digest("hex");
  return { id: `session_${digest}`, digest, ttlMs: rememberedMs, replaces: "any" };
}

/** Returns the newest run with one of these keys, if it still exists. */
export async function findMarkedRun(
  scope: HistoryScope,
  keys: readonly Pick<RequestKey, "id">[],
): Promise<RunRecord | undefined> {
  const { owner } = scope;
  for (const { id } of keys)
    for (const store of readableStores(scope)) {
      const known = await store.getRequestKey({ owner, id });
      const run =
        known?.resourceId == null ? undefined : await store.getRun({ owner, id: known.resourceId });
      if (run !== undefined) return run;
    }
  return undefined;
}

/** Returns the variables of the session of a run, for a run that continues it without a parent. */
export async function sessionVariables(
  runs: {
    variablesOf(head: {
      readonly owner: string;
      readonly headRunId: string;
    }): Promise<VariableSystem>;
  },
  run: RunRecord | undefined,
): Promise<VariableSystem | undefined> {
  return run && runs.variablesOf({ owner: run.owner, headRunId: run.id });
}
