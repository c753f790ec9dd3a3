import {
  defineToolGroup,
  historyMessages,
  type Model,
  type ModelRequest,
  runToolChain,
  type StoredTurn,
  type Tool,
  ToolExecutor,
} from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { countTokens } from "@capstan/models";
import { basicTools, variableTools } from "@capstan/toolkit";
import type { Column } from "./column.ts";
import { exactTokens, segmentsOf } from "./count-request.ts";
import { type Cost, costsOf, sum } from "./price.ts";
import type { Workload } from "./workload.ts";

/**
 * Runs a workload through the loop with a column's settings. Returns the cost of each turn: every
 * request to the model, with prompt and definitions, and every answer.
 *
 * @throws Error if the loop deviates from the script, so that nothing was measured
 */
export async function converse(workload: Workload, column: Column): Promise<readonly Cost[]> {
  const executor = executorFor(workload, column);
  const turns: StoredTurn[] = [];
  const sent: {
    readonly turn: number;
    readonly segments: ReturnType<typeof segmentsOf>;
    readonly answered: number;
  }[] = [];
  for (const [turn, { user, steps }] of workload.turns.entries()) {
    const before = historyMessages(turns, column.history);
    const script = steps(column, before).map((step, index) => withIds(step, `${turn}_${index}`));
    const model = new ScriptedModel(script);
    const seen = recording(model);
    const { status, state } = await runToolChain({
      executor,
      model: seen.model,
      contextMessages: before,
      inputMessages: [{ role: "user", content: user }],
      systemPrompt: () =>
        column.variables
          ? `${workload.instructions}\n\n${executor.toolRules()}`
          : workload.instructions,
      maxRounds: 50,
    }).result;
    model.assertDone();
    const failed = state.calls.find((call) => call.status !== "succeeded");
    if (status !== "completed" || failed !== undefined) {
      const why = failed === undefined ? status : `${failed.name}: ${failed.result?.finalText}`;
      throw new Error(`${workload.name}, ${column.name}, turn ${turn + 1}: ${why}`);
    }
    for (const [index, request] of seen.requests.entries())
      sent.push({ turn, segments: segmentsOf(request), answered: answerTokens(script[index]) });
    turns.push(state);
  }
  const costs = costsOf(sent);
  return workload.turns.map((_, turn) =>
    sum(costs.filter((_cost, index) => sent[index]?.turn === turn)),
  );
}

/** Gives each call a unique id, because the loop replaces repeated ids with random ones. */
function withIds(step: ScriptedStep, prefix: string): ScriptedStep {
  if (typeof step !== "object" || !("calls" in step) || step.calls === undefined) return step;
  const calls = step.calls.map((call, index) => ({ ...call, id: `call_${prefix}_${index}` }));
  return { ...step, calls };
}

function executorFor(
  { tools, textTool }: Workload,
  { cut, variables, references }: Column,
): ToolExecutor {
  const unlimited = {
    outputChars: Number.MAX_SAFE_INTEGER,
    outputCeilingChars: Number.MAX_SAFE_INTEGER,
  };
  const executor = new ToolExecutor({ countTokens, ...(!cut && { limits: unlimited }) });
  const own = variables ? tools : tools.map((tool): Tool => ({ ...tool, SKIP_CACHE_RESULT: true }));
  executor.registerToolGroup(defineToolGroup({ name: "work", tools: own }));
  executor.toggleGroupEnabled("work", true);
  if (!variables) return executor;
  // Registers the shipped groups that are always offered, and the tools that the column's model
  // uses.
  executor.registerToolGroup(variableTools());
  executor.toggleGroupEnabled("vars", true);
  for (const name of ["WriteVar", "RemoveVars"]) executor.setToolEnabled(name, false);
  if (references && textTool === true) {
    executor.registerToolGroup(basicTools());
    executor.toggleGroupEnabled("basic", true);
    for (const name of ["DateTime", "JsonToInterface"]) executor.setToolEnabled(name, false);
  }
  return executor;
}

/** Returns a model that records its requests. */
function recording(inner: Model) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: inner.id,
    stream(request, signal) {
      requests.push({ ...request, messages: [...request.messages] });
      return inner.stream(request, signal);
    },
  };
  return { model, requests };
}

/** The model's text, from the script. */
function answerTokens(step: ScriptedStep | undefined): number {
  if (typeof step === "string") return exactTokens(step);
  if (typeof step !== "object" || !("calls" in step || "text" in step))
    throw new Error("A workload's steps are texts and calls.");
  const calls = step.calls ?? [];
  const written = calls.map(
    ({ name, args }) => exactTokens(`${name} ${JSON.stringify(args ?? {})}`) + 4,
  );
  return exactTokens(step.text ?? "") + written.reduce((total, tokens) => total + tokens, 0);
}
