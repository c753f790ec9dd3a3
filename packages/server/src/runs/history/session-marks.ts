import { createHash } from "node:crypto";
import type { VariableSystem } from "@capstan/core";
import { readAllValues } from "@capstan/core/host";
import type { RequestKey, RunRecord } from "@capstan/store";
import { type HistoryScope, readableStores } from "./find-answered-run.ts";

/** The texts by which a client marks the requests of one conversation. */
export interface SessionMarks {
  /** The end user that the request names. Equal marks of different end users count as different. */
  readonly user?: string | undefined;
  /** The request's `prompt_cache_key`. */
  readonly promptCacheKey?: string | undefined;
  /** The value of a session header. */
  readonly header?: string | undefined;
}

/** Headers by which clients mark the requests of one conversation. */
export const sessionHeaders = ["session-id", "x-session-id"] as const;

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

/** How long after the start of its newest run a session can be found by its marks, in ms. */
const rememberedMs = 30 * 24 * 3_600_000;

/** The key of a mark. */
export interface SessionMark {
  /** The key that names the newest run of the session. Each new run replaces it. */
  readonly key: RequestKey;
  /**
   * Whether the client means the session. Applications share a `prompt_cache_key` between
   * conversations and users, so it counts only together with the session's history.
   */
  readonly isExplicit: boolean;
}

/**
 * Returns the marks of a request, in the order in which they are tried. Marks are texts of clients, so
 * their keys are digests.
 */
export function sessionMarks({
  user,
  promptCacheKey,
  header,
}: SessionMarks): readonly SessionMark[] {
  const mark = (kind: string, text: string | undefined, isExplicit: boolean) =>
    text === undefined || text === ""
      ? []
      : [{ key: sessionKey([kind, user ?? "", text]), isExplicit }];
  return [...mark("promptCacheKey", promptCacheKey, false), ...mark("header", header, true)];
}

function sessionKey(parts: readonly string[]): RequestKey {
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return { id: `session_${digest}`, digest, ttlMs: rememberedMs, replaces: "any" };
}

/** Returns the newest run with this key, if it still exists. */
export async function findMarkedRun(
  scope: HistoryScope,
  { id }: Pick<RequestKey, "id">,
): Promise<RunRecord | undefined> {
  const { owner } = scope;
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
  if (run === undefined) return undefined;
  const variables = await runs.variablesOf({ owner: run.owner, headRunId: run.id });
  // The new run stores them again, with their values.
  await readAllValues(variables);
  return variables;
}
