import {
  type Clock,
  defineTool,
  defineToolGroup,
  type Model,
  type Tool,
  type ToolArgs,
  type ToolContext,
  ToolExecutor,
  type ToolExecutorOptions,
  type ToolGroup,
} from "@capstan/core";
import { systemClock } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";
import { openMemoryStore, type RunRecord, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import type { RunRequest } from "../runs/request/run-request.ts";
import { RunService, type RunServiceOptions } from "../runs/run-service.ts";
import { defaultServerLimits } from "../runs/request/run-limits.ts";
import type { CreateExecutor } from "../runs/active/launch.ts";

const parameters = { type: "object", properties: {}, additionalProperties: true } as const;

/** A tool of the group `g` that runs without approval. */
export function tool(
  name: string,
  execute: (args: ToolArgs, context: ToolContext) => unknown,
  executionPolicy: "auto" | "ask-always" | "ask-once" = "auto",
): Tool {
  const permission = { executionPolicy };
  return defineTool({ name, description: name, parameters, permission, effects: "read", execute });
}

/** Creates a tool that needs approval for each call. */
export function asking(name: string, execute: () => unknown): Tool {
  return tool(name, execute, "ask-always");
}

export interface Setup {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  /** Options of each executor, for example `toolSettings`. */
  readonly executor?: Pick<ToolExecutorOptions, "toolSettings" | "limits" | "clock" | "random">;
}

export function groupOf(tools: readonly Tool[]): ToolGroup {
  return defineToolGroup({ name: "g", tools });
}

export function executorsOf(
  tools: readonly Tool[],
  clock: Clock = systemClock,
  more: Setup["executor"] = {},
): CreateExecutor {
  const group = groupOf(tools);
  return (options) => {
    const executor = new ToolExecutor({ clock, ...options, ...more });
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled("g", true);
    return executor;
  };
}

/** Creates the run service of one server process. Its log is in `lines`. */
export function createRuns(
  setup: Setup & Partial<RunServiceOptions>,
): RunService & { readonly lines: readonly string[] } {
  const { model, tools = [], executor, ...more } = setup;
  const entry = { id: model.id, title: "", owner: "", reason: "" };
  const lines: string[] = [];
  const runs = new RunService({
    store: openMemoryStore(),
    models: { default: entry, list: async () => [entry], find: async () => model },
    createExecutor: executorsOf(tools, more.clock, executor),
    limits: defaultServerLimits,
    log: (line) => lines.push(line),
    ...more,
  });
  return Object.assign(runs, { lines });
}

/**
 * Returns a run request with one user message (none if the text is empty) and the given fields.
 */
export function requestOf(text: string, more: Partial<RunRequest> = {}): RunRequest {
  return {
    principal: owner,
    model: "test/scripted",
    instructions: null,
    context: [],
    inputMessages: text === "" ? [] : [{ role: "user", content: text }],
    inputItems: [],
    parentId: null,
    conversationId: null,
    title: null,
    servers: [{ label: "g", group: "g" }],
    clientTools: [],
    settings: {},
    maxToolCalls: null,
    maxRounds: null,
    approvals: "inline",
    toolOutputs: "deferred",
    history: "log",
    answers: [],
    outputs: [],
    continuesParent: false,
    wire: {},
    ...more,
  };
}

/** Starts a run and fails if it does not begin. */
export async function begin(runs: RunService, request: RunRequest): Promise<RunRecord> {
  const outcome = await runs.start(request);
  if (outcome.status !== "started") throw new Error(outcome.message);
  return outcome.run;
}

/** Waits until a run has this status, and returns it. */
export async function runIn(
  store: Store,
  id: string,
  status: RunStatus,
  of = owner,
): Promise<RunRecord> {
  let news = Promise.withResolvers<void>();
  const unsubscribe = store.subscribe(id, () => {
    news.resolve();
    news = Promise.withResolvers();
  });
  try {
    for (;;) {
      const { promise } = news;
      const run = await store.getRun({ owner: of, id });
      if (run?.status === status) return run;
      await promise;
    }
  } finally {
    unsubscribe();
  }
}
