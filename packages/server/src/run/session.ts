import {
  GrantBook,
  VariableSystem,
  type ApprovalAdapter,
  type ToolExecutor,
  type ToolExecutorOptions,
  type Variable,
} from "@capstan/core";
import type { Switches } from "../contract/conversation.ts";
import type { Manifest } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";

/** Makes a session's executor: the composition root knows which tools there are. */
export type CreateExecutor = (
  options: Pick<ToolExecutorOptions, "variables" | "grants" | "approvals" | "principal">,
) => ToolExecutor;

/** Approvals are rows, answered whenever somebody does. */
const laterAnswers: ApprovalAdapter = { request: () => ({ decision: "pending" }) };

export interface OpenSessionOptions {
  readonly createExecutor: CreateExecutor;
  readonly owner: string;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  readonly switches: Switches | undefined;
}

/** A run's executor: its session's variables and grants, its conversation's switches. */
export function openSession({
  createExecutor,
  owner,
  variables,
  grants,
  switches,
}: OpenSessionOptions): ToolExecutor {
  const executor = createExecutor({
    variables,
    grants,
    approvals: laterAnswers,
    principal: { id: owner },
  });
  for (const [group, on] of Object.entries(switches?.groups ?? {}))
    executor.toggleGroupEnabled(group, on);
  for (const [tool, on] of Object.entries(switches?.tools ?? {})) executor.setToolEnabled(tool, on);
  return executor;
}

/** What a person allowed or refused, in this session or in every one, wherever it is kept. */
export async function readGrants(
  stores: readonly Store[],
  owner: string,
  sessionId: string,
): Promise<GrantBook> {
  const grants = new GrantBook();
  for (const store of new Set(stores)) {
    let after: string | undefined;
    do {
      const more = after === undefined ? {} : { after };
      const page = await store.listGrants({ owner, sessionId, limit: 1_000, ...more });
      for (const { grant } of page.data) grants.add(grant);
      after = page.hasMore ? page.data.at(-1)?.grant.id : undefined;
    } while (after !== undefined);
  }
  return grants;
}

/** The variables of a run as they are now, with their values. */
export async function readVariables(
  store: Store,
  owner: string,
  runId: string,
): Promise<VariableSystem> {
  const manifest = (await store.readManifest({ owner, runId })) ?? {};
  const variables = await Promise.all(
    Object.entries(manifest)
      .filter(([, { evicted }]) => evicted !== true)
      .map((entry) => readVariable(store, owner, entry)),
  );
  const present = variables.filter((variable) => variable !== undefined);
  return VariableSystem.restore(present.sort((a, b) => a.lastVisited - b.lastVisited));
}

async function readVariable(
  store: Store,
  owner: string,
  [name, entry]: [string, Manifest[string]],
): Promise<Variable | undefined> {
  const value = await store.readValue({ owner, digest: entry.digest });
  const { digest: _digest, ...info } = entry;
  return value === undefined ? undefined : { ...info, name, value };
}
