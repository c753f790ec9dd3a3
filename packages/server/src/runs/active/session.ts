import {
  type ApprovalAdapter,
  GrantBook,
  type PolicyRule,
  type ToolExecutor,
  type ToolExecutorOptions,
  type Variable,
  VariableSystem,
} from "@capstan/core";
import type { VariableSource, VariableValue } from "@capstan/core/host";
import type { Switches } from "@capstan/contract";
import type { GrantRecord, Manifest, Store } from "@capstan/store";

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

export interface OpenSessionOptions {
  readonly createExecutor: CreateExecutor;
  readonly owner: string;
  readonly variables: VariableSystem;
  readonly grants: GrantBook;
  /** The owner's own rules, as they are now. */
  readonly overrides: () => readonly PolicyRule[];
  readonly switches: Switches | undefined;
}

/** A run's executor: its session's variables and grants, its conversation's switches. */
export function openSession({
  createExecutor,
  owner,
  variables,
  grants,
  overrides,
  switches,
}: OpenSessionOptions): ToolExecutor {
  const executor = createExecutor({
    variables,
    grants,
    overrides,
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
  const all = [...new Set(stores)].map((store) => store.readGrants({ owner, sessionId }));
  for (const grant of (await Promise.all(all)).flat()) grants.add(grant);
  return grants;
}

/** All of a user's, whatever session they hold in. */
export async function listGrants(
  stores: readonly Store[],
  owner: string,
): Promise<readonly GrantRecord[]> {
  const records: GrantRecord[] = [];
  for (const store of new Set(stores)) {
    let after: string | undefined;
    do {
      const more = after === undefined ? {} : { after };
      const page = await store.listGrants({ owner, limit: 1_000, ...more });
      records.push(...page.data);
      after = page.hasMore ? page.data.at(-1)?.grant.id : undefined;
    } while (after !== undefined);
  }
  return records;
}

/** The variables of a run as they are now, with their values; those that are gone are known to be. */
export async function readVariables(
  store: Store,
  owner: string,
  runId: string,
): Promise<VariableSystem> {
  const read = await store.readVariables({ owner, runId });
  const entries = Object.entries(read?.manifest ?? {});
  const there = entries.filter(([, { evicted, removed }]) => evicted !== true && removed !== true);
  const found = await Promise.all(
    there.map(async (entry) => {
      const { value = read?.values[entry[1].digest ?? ""] } = entry[1];
      return value === undefined ? readVariable(store, owner, entry) : variableOf(entry, value);
    }),
  );
  const present = found.filter((variable) => variable !== undefined);
  const variables = new VariableSystem();
  const gone = entries.flatMap(([name, { evicted, removed }]) => {
    const reason = removed === true ? "removed" : evicted === true ? "evicted" : undefined;
    return reason === undefined ? [] : [{ name, reason } as const];
  });
  variables.load(
    present.sort((a, b) => a.lastVisited - b.lastVisited),
    { gone },
  );
  return variables;
}

/** Where a run finds what was evicted from its memory. */
export function evictedVariableSource(store: Store, owner: string, runId: string): VariableSource {
  return async (name) => {
    const entries = Object.entries((await store.readManifest({ owner, runId })) ?? {});
    const entry = entries.find(([known]) => known === name);
    return entry === undefined ? undefined : readVariable(store, owner, entry);
  };
}

async function readVariable(
  store: Store,
  owner: string,
  entry: [string, Manifest[string]],
): Promise<Variable | undefined> {
  const { removed, digest = "" } = entry[1];
  if (removed === true) return undefined;
  const value = entry[1].value ?? (await store.readValue({ owner, digest }));
  return value === undefined ? undefined : variableOf(entry, value);
}

function variableOf([name, entry]: [string, Manifest[string]], value: VariableValue): Variable {
  const { digest: _digest, evicted: _evicted, ...info } = entry;
  return { ...info, name, value };
}
