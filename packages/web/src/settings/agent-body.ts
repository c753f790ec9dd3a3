import type { AgentBody, AgentView } from "@capstan/contract";

/** The fields of the form, as the user typed them. */
export interface AgentFields {
  readonly title: string;
  /** Empty for the server's default. */
  readonly model: string;
  readonly instructions: string;
  /** Empty for the provider's default. */
  readonly temperature: string;
  /** The names of tool groups; null for those of the chat. */
  readonly groups: readonly string[] | null;
}

/**
 * Returns an agent with the fields of the form. Preserves its other fields, and the filters of its
 * groups.
 */
export function agentBody(before: AgentView | null, fields: AgentFields): AgentBody {
  const { history, limits, approvals, functions, offer_client_tools: offers } = before ?? {};
  const known = new Map(before?.groups?.map((group) => [group.group, group]));
  const { title, model, instructions, temperature, groups } = fields;
  return {
    ...(history !== undefined && { history }),
    ...(limits !== undefined && { limits }),
    ...(approvals !== undefined && { approvals }),
    ...(functions !== undefined && { functions }),
    ...(offers !== undefined && { offer_client_tools: offers }),
    title: title.trim(),
    ...(model !== "" && { model }),
    ...(instructions.trim() !== "" && { instructions: instructions.trim() }),
    ...(temperature !== "" && { temperature: Number(temperature) }),
    ...(groups !== null && { groups: groups.map((group) => known.get(group) ?? { group }) }),
  };
}

/**
 * Returns the name of a new agent, which the API accepts.
 *
 * @example agentNameOf("Übersetzer für E-Mails!") // "ubersetzer-fur-e-mails"
 */
export function agentNameOf(title: string): string {
  const name = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 48);
  return name === "" ? `agent-${Math.floor(Math.random() * 1e6)}` : name;
}
