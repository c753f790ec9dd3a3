import type { ChainError, JsonObject } from "@capstan/core";
import { isClosing, type RunRecord, type Store } from "@capstan/store";
import { seconds, wireUsage } from "./projection/unit.ts";
import type { Metadata } from "./request/fields.ts";
import { type RunWire, wireRunId, wireThreadId } from "./run-wire.ts";

/** A change of a user to a run after its start. */
export interface RunChange {
  readonly metadata: Metadata;
}

/** Reads a run as the API shows it. */
export async function readRunView(
  store: Store,
  run: RunRecord,
  { wire, suspendedMs }: { readonly wire: RunWire; readonly suspendedMs: number },
): Promise<JsonObject & { readonly id: string }> {
  const { owner, id: runId } = run;
  const [changed, outputs] = await Promise.all([
    store.getThreadObject({ owner, id: wireRunId(runId) }),
    run.status === "requires_action" ? store.listOutputs({ owner, runId }) : [],
  ]);
  const submitted = outputs.map(({ callId }) => callId);
  const change = changed?.data as unknown as RunChange | undefined;
  return runView(run, { wire, suspendedMs, submitted, change });
}

interface RunViewOptions {
  readonly wire: RunWire;
  /** Milliseconds that a run waits for its client. */
  readonly suspendedMs: number;
  /** Calls whose outputs are stored, but not used yet. */
  readonly submitted?: readonly string[];
  readonly change?: RunChange | undefined;
  /** Replaces the current status of the run. */
  readonly status?: string;
}

/** Returns a run as the API shows it. */
export function runView(
  run: RunRecord,
  { wire, suspendedMs, submitted = [], change, status: given }: RunViewOptions,
): JsonObject & { readonly id: string } {
  const { result, createdAt, endedAt } = run;
  const calls = openCalls(run, submitted);
  const status = given ?? wireStatus(run, calls);
  const isOver = isClosing(run.status) && given === undefined;
  const endedAs = (...names: readonly string[]) =>
    seconds(isOver && names.includes(status) ? (endedAt ?? undefined) : undefined);
  return {
    id: wireRunId(run.id),
    object: "thread.run",
    created_at: seconds(createdAt),
    thread_id: wireThreadId(run.conversationId ?? ""),
    assistant_id: wire.assistantId,
    status,
    started_at: status === "queued" ? null : seconds(createdAt),
    expires_at: isOver ? null : seconds(createdAt + suspendedMs),
    completed_at: endedAs("completed", "incomplete"),
    cancelled_at: endedAs("cancelled"),
    failed_at: endedAs("failed"),
    required_action:
      status === "requires_action"
        ? { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: [...calls] } }
        : null,
    last_error: status === "failed" ? lastError(result?.error) : null,
    incomplete_details: isOver && status === "incomplete" ? incompleteDetails(run, wire) : null,
    instructions: wire.instructions,
    model: wire.model,
    tools: [...wire.tools],
    tool_choice: wire.toolChoice,
    response_format: wire.responseFormat,
    truncation_strategy: wire.truncation,
    max_prompt_tokens: wire.maxPromptTokens,
    max_completion_tokens: wire.maxCompletionTokens,
    parallel_tool_calls: wire.parallelToolCalls,
    temperature: wire.temperature,
    top_p: wire.topP,
    metadata: change?.metadata ?? wire.metadata,
    usage: isOver ? wireUsage(result?.usage) : null,
  };
}

/** Returns the calls whose outputs a run waits for. */
function openCalls(run: RunRecord, submitted: readonly string[]): readonly JsonObject[] {
  if (run.status !== "requires_action") return [];
  return (run.result?.waiting ?? []).flatMap((one) =>
    one.type === "client_call" && !submitted.includes(one.callId)
      ? [
          {
            id: one.callId,
            type: "function",
            function: {
              name: one.name,
              arguments: one.argumentsText.trim() === "" ? "{}" : one.argumentsText,
            },
          },
        ]
      : [],
  );
}

/** A run that waits for a user's approval is in progress for its client, which can only wait. */
function wireStatus({ status }: RunRecord, calls: readonly JsonObject[]): string {
  return status === "requires_action" && calls.length === 0 ? "in_progress" : status;
}

const invalidPrompts: ReadonlySet<string> = new Set(["bad_request", "context_length"]);

function lastError(error: ChainError | undefined): JsonObject {
  const { code = "internal", message = "The run failed." } = error ?? {};
  const isLimited = code === "rate_limit" || code === "insufficient_quota";
  return {
    code: isLimited
      ? "rate_limit_exceeded"
      : invalidPrompts.has(code)
        ? "invalid_prompt"
        : "server_error",
    message,
  };
}

function incompleteDetails({ result }: RunRecord, { maxPromptTokens }: RunWire): JsonObject {
  if (result?.finishReason === "content_filter") return { reason: "content_filter" };
  const isPrompt = maxPromptTokens !== null && (result?.usage.inputTokens ?? 0) >= maxPromptTokens;
  return { reason: isPrompt ? "max_prompt_tokens" : "max_completion_tokens" };
}
