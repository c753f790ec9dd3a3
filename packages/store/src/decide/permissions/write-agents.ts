import { agentRecord, type AgentRow, selectAgents } from "../../read/permissions/read-agents.ts";
import { readable } from "../../read/page.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type SaveAgent = Extract<StoreWrite, { type: "save-agent" }>;
type DeleteAgent = Extract<StoreWrite, { type: "delete-agent" }>;

/** The maximum number of agents of one user. */
const maxAgents = 1_000;

const lockAgent = statement<AgentRow>(
  { reads: ["agents"] },
  (dialect) => `${selectAgents(dialect)} WHERE owner = ? AND name = ?${dialect.lock("agents")}`,
);

const countAgents = statement<{ n: number }>(
  { reads: ["agents"] },
  "SELECT COUNT(*) AS n FROM agents WHERE owner = ?",
);

const findAgentKey = statement(
  { reads: ["agents"] },
  "SELECT 1 FROM agents WHERE owner = ? AND name = ?",
);

/** Creates an agent of a user, or replaces one. */
export function* saveAgent(
  { changes }: WriteContext,
  { owner, name, agent, isNew }: SaveAgent,
  at: number,
): Script<OutcomeOf<SaveAgent>> {
  const row = yield* first(lockAgent, owner, name);
  if (isNew && row !== undefined)
    return { status: "refused", reason: `You have an agent "${name}" already: change that one.` };
  if (!isNew && row === undefined) return { status: "not_found" };
  const before = row && readable(row, agentRecord);
  // An update would leave a corrupt row corrupt, so the row is replaced.
  if (row !== undefined && before === undefined) changes.remove("agents", { owner, name });
  const createdAt = before?.createdAt ?? at;
  const changed = { updated_at: at, agent: JSON.stringify(agent) };
  if (before === undefined) {
    const count = yield* first(countAgents, owner);
    if (isNew && (count?.n ?? 0) >= maxAgents)
      return {
        status: "refused",
        reason: `You have ${maxAgents} agents already: delete one first.`,
      };
    changes.insert("agents", { owner, name, created_at: createdAt, ...changed });
  } else changes.update("agents", { owner, name }, changed);
  return { status: "updated", agent: { owner, name, agent, createdAt, updatedAt: at } };
}

/** Deletes an agent of a user. */
export function* deleteAgent(
  { changes }: WriteContext,
  { owner, name }: DeleteAgent,
): Script<OutcomeOf<DeleteAgent>> {
  const known = yield* first(findAgentKey, owner, name);
  if (known === undefined) return { status: "not_found" };
  changes.remove("agents", { owner, name });
  return { status: "removed" };
}
