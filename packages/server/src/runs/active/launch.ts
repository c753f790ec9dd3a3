import {
  type ApprovalAdapter,
  type Clock,
  type GrantBook,
  type Journal,
  type Message,
  type Model,
  ModelError,
  type PolicyRule,
  runToolChain,
  type ToolChainRun,
  ToolExecutor,
  type ToolExecutorOptions,
  type VariableSystem,
} from "@capstan/core";
import type { ChainResume, ModelCatalog, OfferOptions } from "@capstan/core/host";
import type { RunRecord, Store } from "@capstan/store";
import { readHistory } from "./history.ts";
import { offersTool, requireApprovalFor } from "../request/offered-tools.ts";
import { loadBlobs } from "../request/load-blobs.ts";
import { oneCallModel } from "../request/one-call-model.ts";
import type { StoredRunRequest } from "../request/run-request.ts";
import { chainLimits, type ServerLimits } from "../request/run-limits.ts";

/** Makes a session's executor: the composition root knows which tools there are. */
export type CreateExecutor = (
  options: Pick<
    ToolExecutorOptions,
    "variables" | "grants" | "overrides" | "approvals" | "principal"
  >,
) => ToolExecutor;

/** Approvals are rows, answered whenever somebody does. */
const laterAnswers: ApprovalAdapter = {
  request: () => ({ decision: "pending" }),
  review: () => ({ decision: "pending" }),
};

export interface LaunchOptions {
  readonly store: Store;
  readonly models: ModelCatalog;
  readonly createExecutor: CreateExecutor;
  readonly limits: ServerLimits;
  /** Claimed: its epoch is ours. */
  readonly run: RunRecord;
  readonly journal: Journal;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly overrides: () => readonly PolicyRule[];
  readonly clock: Clock;
  readonly inputMessages?: readonly Message[];
  readonly resume?: ChainResume;
}

/**
 * Prepares the loop of a claimed run: its executor, with the session's variables and grants and the
 * conversation's switches, its model, and its history.
 *
 * @returns a function that starts the loop. From then on all events are in the run's journal
 */
export async function prepareChain(options: LaunchOptions): Promise<() => ToolChainRun> {
  const { store, models, limits, run, journal, variables, resume } = options;
  const { grants, overrides } = options;
  const request = run.request as unknown as StoredRunRequest;
  const { servers, settings, maxToolCalls, adopts, history, call } = request;
  const [conversation, found, context, said] = await Promise.all([
    run.conversationId === null
      ? undefined
      : store.getConversation({ owner: run.owner, id: run.conversationId }),
    call === undefined ? findModel(models, run.model) : missingModel(run.model),
    request.context.length === 0 ? [] : store.readList(request.context),
    readHistory(store, { owner: run.owner, parentId: run.parentId, adopts, history }),
  ]);
  const executor = options.createExecutor({
    variables,
    grants,
    overrides,
    approvals: laterAnswers,
    principal: { id: run.owner },
  });
  const { groups = {}, tools = {} } = conversation?.switches ?? {};
  for (const [group, on] of Object.entries(groups)) executor.toggleGroupEnabled(group, on);
  for (const [tool, on] of Object.entries(tools)) executor.setToolEnabled(tool, on);
  const offered: OfferOptions = {
    // A group of a resumed run may no longer exist: then its tools are not offered.
    groups: servers.flatMap(({ group }) => (executor.gate.registry.group(group) ? [group] : [])),
    allowTool: (toolId) => offersTool(servers, executor.gate.registry.tool(toolId)),
    clientTools: request.clientTools,
  };
  const model =
    call === undefined
      ? loadBlobs(found, store)
      : oneCallModel(run.model, call, () => executor.offer(offered).names);
  return () => {
    if (resume === undefined) variables.beginTurn();
    const limit = timeLimit(options);
    const chain = runToolChain({
      ...(limit && { signal: limit.signal }),
      executor,
      model,
      runId: run.id,
      journal,
      contextMessages: [...said, ...context],
      ...(options.inputMessages && { inputMessages: options.inputMessages }),
      systemPrompt: () =>
        [request.instructions ?? "", executor.toolRules(offered)]
          .filter((part) => part !== "")
          .join("\n\n"),
      ...offered,
      requireApproval: (toolId) => requireApprovalFor(servers, executor.gate.registry.tool(toolId)),
      chatOption: settings,
      ...chainLimits(limits, maxToolCalls),
      // A person's own call asks no model.
      ...(call !== undefined && { maxTokens: Infinity, maxCost: Infinity }),
      ...(resume !== undefined && { resume }),
    });
    if (limit !== undefined) void chain.result.then(limit.lift);
    return chain;
  };
}

/** Aborts as the run's time is over; what it took before it stopped is counted, waiting is not. */
function timeLimit({ clock, limits, resume }: LaunchOptions) {
  const { runMs } = limits;
  if (runMs === undefined) return undefined;
  const controller = new AbortController();
  const left = runMs - (resume?.state.elapsed ?? 0);
  const lift = clock.after(Math.max(0, left), () =>
    controller.abort(new DOMException("The run took longer than it may.", "TimeoutError")),
  );
  return { signal: controller.signal, lift };
}

/**
 * Ends a run that was claimed without doing anything of it: no tool, no model and no history is
 * needed, so that none of those can keep it from ending.
 */
export function closeChain({
  run,
  journal,
  variables,
  grants,
  resume,
}: Pick<LaunchOptions, "run" | "journal" | "variables" | "grants"> & {
  readonly resume: ChainResume;
}): ToolChainRun {
  return runToolChain({
    executor: new ToolExecutor({ variables, grants }),
    model: missingModel(run.model),
    runId: run.id,
    journal,
    contextMessages: [],
    resume,
  });
}

async function findModel(models: ModelCatalog, id: string): Promise<Model> {
  const model = await models.find(id);
  return model ?? missingModel(id);
}

/** A model that was there when the run began, and is not any more: the run fails with a reason. */
function missingModel(id: string): Model {
  return {
    id,
    // eslint-disable-next-line require-yield -- it only fails
    async *stream() {
      throw new ModelError({
        code: "model_not_found",
        message: `The model "${id}" is not configured here any more. Choose another.`,
      });
    },
  };
}
