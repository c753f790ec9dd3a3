import type { JsonObject, JsonValue } from "@capstan/core";
import { requestOf, type RunRecord } from "@capstan/store";
import type { CallForm } from "./projection/calls-unit.ts";
import type { RunProjectionOptions } from "./projection/project-run.ts";
import type { Metadata, WireFormat } from "./request/fields.ts";

/** Options for showing a run in the Assistants API. They are stored with the run. */
export interface RunWire {
  readonly assistantId: string;
  /** The ids of the added messages that no earlier run has read. */
  readonly messages: readonly string[];
  /** The ids of all messages that the run reads, if it states them again. */
  readonly restated?: readonly string[];
  readonly instructions: string;
  readonly model: string;
  readonly tools: readonly JsonObject[];
  readonly toolChoice: JsonValue;
  readonly responseFormat: WireFormat;
  readonly truncation: {
    readonly type: "auto" | "last_messages";
    readonly last_messages: number | null;
  };
  readonly maxPromptTokens: number | null;
  readonly maxCompletionTokens: number | null;
  readonly parallelToolCalls: boolean;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly metadata: Metadata;
  readonly forms: { readonly [toolId: string]: CallForm };
  readonly holdsAnswers: boolean;
}

/** Returns the wire options of a run that this API started, or undefined for other runs. */
export function runWire(run: RunRecord): RunWire | undefined {
  if (run.kind !== "turn") return undefined;
  const { api, wire } = requestOf(run);
  return api === "threads" ? (wire as unknown as RunWire) : undefined;
}

/** Returns the id that this API shows for a run, a response in the other APIs. */
export function wireRunId(id: string): string {
  return id.replace(/^resp_/, "run_");
}

/** Returns the id that this API shows for a conversation. */
export function wireThreadId(id: string): string {
  return id.replace(/^conv_/, "thread_");
}

/** Returns how a run is projected. Runs of other APIs have no assistant. */
export function projectionOf(run: RunRecord): RunProjectionOptions {
  const { assistantId = "", forms = {}, holdsAnswers = false } = runWire(run) ?? {};
  const identity = {
    runId: wireRunId(run.id),
    threadId: wireThreadId(run.conversationId ?? ""),
    assistantId,
  };
  return { identity, forms, holdsAnswers };
}
