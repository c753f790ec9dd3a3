import type { ApprovalView, CallView, ListView, RunEvent, RunView } from "@capstan/contract";
import type { Api } from "../api.ts";
import type { Execution } from "./executions.ts";

/** A run as it was left: its row, its events, its ledger, its questions. */
export interface LeftRun {
  readonly run: RunView;
  readonly events: readonly RunEvent[];
  readonly calls: readonly CallView[];
  readonly approvals: readonly ApprovalView[];
}

/** All that there is to judge by once everything has ended. */
export interface EndState {
  readonly runs: readonly LeftRun[];
  /** The executions that the tools recorded, in order. */
  readonly executions: readonly Execution[];
  /** The runs whose beginning was confirmed to a client. */
  readonly confirmed: readonly string[];
  /** Run → the events that a client was told, in the order in which they came. */
  readonly told: ReadonlyMap<string, readonly RunEvent[]>;
}

/** Every run that a server has, newest first. */
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

/** A run with all that belongs to it, as the API shows it. It has to have ended. */
export async function readRun(api: Api, id: string): Promise<LeftRun> {
  const [run, events, calls, approvals] = await Promise.all([
    api.run(id),
    Array.fromAsync(api.events(id)),
    api.request<ListView<CallView>>("GET", `/v1/runs/${id}/calls`),
    api.request<ListView<ApprovalView>>("GET", `/v1/runs/${id}/approvals`),
  ]);
  return { run, events, calls: calls.data, approvals: approvals.data };
}
