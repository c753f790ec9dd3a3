import type { Context } from "hono";
import type { JsonObject } from "@capstan/core";
import { addUsage, noUsage } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import type { RunRecord } from "@capstan/store";
import { chainFailure } from "../http/chain-failure.ts";
import { createFileLink } from "../http/files/file-links.ts";
import type { Environment, Services } from "../http/services.ts";
import { type CompletionPiece, createCompletionFold } from "./project-completion.ts";
import { type CompletionView, completionView } from "./start-completion.ts";
import { type CompletionIdentity, wholeChoice, wholeCompletion } from "./write-completion.ts";

/** Returns the id that this API shows for a run, a response in the other APIs. */
export function completionId(runId: string): string {
  return runId.replace(/^resp_/, "chatcmpl-");
}

/** Returns the run of a completion's id. */
export function runIdOf(id: string): string {
  return id.replace(/^chatcmpl-/, "resp_");
}

/** Returns the fields that all choices of a completion share, from the run of its first choice. */
export function identityOf(
  run: Pick<RunRecord, "id" | "createdAt" | "model">,
  { usesFunctions, shownModel: model = run.model }: CompletionView,
): CompletionIdentity {
  const { createdAt } = run;
  return { id: completionId(run.id), createdAt, model, usesFunctions };
}

/** Returns a function that makes links to the caller's files. */
export function linksOf(
  { sealer }: Pick<Services, "sealer">,
  context: Context<Environment>,
): (fileId: string) => string {
  const { origin } = new URL(context.req.url);
  const owner = context.get("principal");
  return (fileId) => createFileLink({ sealer, origin, owner, fileId }).url;
}

/** Reads the events of a run up to the end of its choice. */
export async function collect(
  events: AsyncIterable<RunEvent> | Iterable<RunEvent>,
  push: (event: RunEvent) => readonly CompletionPiece[],
): Promise<readonly CompletionPiece[]> {
  const pieces: CompletionPiece[] = [];
  for await (const event of events) {
    pieces.push(...push(event));
    const last = pieces.at(-1)?.type;
    if (last === "end" || last === "error") break;
  }
  return pieces;
}

/** The parts of a completion. */
export interface CompletionParts {
  readonly identity: CompletionIdentity;
  readonly metadata: CompletionView["metadata"];
  /** The pieces of each choice. */
  readonly pieces: readonly (readonly CompletionPiece[])[];
}

/** @throws RequestError if a choice failed */
export function whole({ identity, metadata, pieces }: CompletionParts): JsonObject {
  const ends = pieces.map((each) => each.at(-1));
  const failed = ends.find((end) => end?.type === "error");
  if (failed?.type === "error") throw chainFailure(failed.error);
  const choices = pieces.map((each, index) => wholeChoice(index, each, identity));
  const usage = ends.reduce(
    (sum, end) => (end?.type === "end" ? addUsage(sum, end.usage) : sum),
    noUsage,
  );
  return wholeCompletion(identity, choices, { usage, metadata });
}

/** A stored completion, and the run of its first choice. */
export interface StoredCompletion {
  readonly run: RunRecord;
  readonly view: CompletionView;
  readonly metadata: CompletionView["metadata"];
  /** The runs of all choices. */
  readonly runIds: readonly string[];
}

/** Finds a completion of a user, or returns `undefined`. */
export async function findCompletion(
  { store }: Pick<Services["runs"], "store">,
  { owner, id }: { readonly owner: string; readonly id: string },
): Promise<StoredCompletion | undefined> {
  const [run, stored] = await Promise.all([
    store.getRun({ owner, id }),
    store.getCompletion({ owner, id }),
  ]);
  const view = run && completionView(run);
  if (run === undefined || view === undefined || stored === undefined) return undefined;
  return { run, view, metadata: stored.metadata, runIds: stored.runIds };
}

/** Reads the parts of a stored completion in its current state. */
export async function readCompletion(
  { store }: Pick<Services["runs"], "store">,
  { run, view, metadata, runIds }: StoredCompletion,
  linkOf: (fileId: string) => string,
): Promise<CompletionParts> {
  const pieces: (readonly CompletionPiece[])[] = [];
  for (const runId of runIds) {
    const compact = await store.readEventsCompact({ owner: run.owner, runId });
    const fold = createCompletionFold({ ...view, linkOf });
    pieces.push(await collect(compact?.events ?? [], fold));
  }
  return { identity: identityOf(run, view), metadata, pieces };
}
