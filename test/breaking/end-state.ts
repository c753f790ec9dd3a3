import type { ApprovalView, CallView, ListView, RunEvent, RunView } from "@capstan/contract";
import type { Api } from "../api.ts";
import type { Execution } from "./executions.ts";

/** The stored state of a run: its row, its events, its ledger, its approval requests. */
export interface LeftRun {
  readonly run: RunView;
  readonly events: readonly RunEvent[];
  readonly calls: readonly CallView[];
  readonly approvals: readonly ApprovalView[];
}

/** Everything that the audit compares after all runs have ended. */
export interface EndState {
  readonly runs: readonly LeftRun[];
  /** The executions that the tools recorded, in order. */
  readonly executions: readonly Execution[];
  /** The runs whose start was confirmed to a client. */
  readonly confirmed: readonly string[];
  /** By run: the events that a client read, in their order of arrival. */
  readonly told: ReadonlyMap<string, readonly RunEvent[]>;
}

/** All runs of a server, newest first. */
export async function everyRun(api: Api): Promise<readonly RunView[]> {
  const all: RunView[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last === undefined ? "" : `&after=${last.id}`;
    const page = await api.request<ListView<RunView>>("GET", `/v1/runs?limit=100${after}`);
    all.push(...page.data);
    if (!page.has_more) return all;
  }
}

/** Returns an ended run with all its data, read from the API. */
export async function readRun(api: Api, id: string): Promise<LeftRun> {
  const [run, events, calls, approvals] = await Promise.all([
    api.run(id),
    Array.fromAsync(api.events(id)),
    api.request<ListView<CallView>>("GET", `/v1/runs/${id}/calls`),
    api.request<ListView<ApprovalView>>("GET", `/v1/runs/${id}/approvals`),
  ]);
  return { run, events, calls: calls.data, approvals: approvals.data };
}
