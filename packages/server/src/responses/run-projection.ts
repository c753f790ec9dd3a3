import type { JsonValue } from "@capstan/core";
import { type RunRecord, requestOf } from "@capstan/store";
import { oneCallModelId } from "../runs/active/run-models.ts";
import {
  createProjection,
  type Projection,
  type ProjectionOptions,
} from "./projection/project-events.ts";
import { parseCreateRequest } from "./parse-request.ts";

/** How the Responses API shows a run: kept with it, so that every replay gives the same bytes. */
export type WireView = Pick<
  ProjectionOptions,
  "echo" | "servers" | "customTools" | "previousResponseId" | "conversation"
>;

export function storedView(view: WireView): JsonValue {
  return view as unknown as JsonValue;
}

/** Returns the view to store with a user's own call: that of a background request for just this call. */
export function directCallView(): JsonValue {
  const parsed = parseCreateRequest({ model: oneCallModelId, input: "", background: true });
  if (parsed.status === "error") throw new Error(parsed.error.message);
  return storedView({ echo: parsed.request.echo, servers: [], customTools: [] });
}

/** The projection of a stored run, before its first event. */
export function runProjection(run: RunRecord): Projection {
  const { wire, approvals, toolOutputs } = requestOf(run);
  return createProjection({
    ...(wire as unknown as WireView),
    responseId: run.id,
    createdAt: run.createdAt,
    model: run.model,
    approvals,
    // Where it waits and goes on, another process may have to repeat a step: no call is shown before it stands.
    ...(toolOutputs === "inline" && { toolOutputs, clientCalls: "after_step" }),
  });
}
