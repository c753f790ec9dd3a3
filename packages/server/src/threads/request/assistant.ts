import type { AgentFunction } from "@capstan/contract";
import type { JsonObject } from "@capstan/core";
import type { AgentRecord } from "@capstan/store";
import type { Services } from "../../http/services.ts";
import { type Agent, assistantId, findAgent } from "../../runs/request/agent.ts";
import type { Metadata, WireFormat } from "./fields.ts";
import type { ToolResources } from "./tool-resources.ts";

/** The fields of an assistant that an agent does not have. They are stored in the agent. */
export interface AssistantFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly instructions: string | null;
  readonly model: string;
  readonly tools: readonly JsonObject[];
  readonly tool_resources: ToolResources | null;
  readonly metadata: Metadata;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly response_format: WireFormat;
  readonly reasoning_effort: string | null;
}

/** An assistant: an agent with the fields of the Assistants API. */
export interface Assistant {
  readonly id: string;
  readonly agent: Agent;
  readonly fields: AssistantFields;
  /** Milliseconds since the epoch; 0 for an agent of the configuration. */
  readonly createdAt: number;
  /** Whether `/v1/assistants` created it. Other agents are read-only there. */
  readonly isOwn: boolean;
}

/**
 * Finds an assistant by its id, or an agent by its name.
 *
 * @returns undefined if there is none, or it has another owner
 */
export async function findAssistant(
  { agents: configured, models, runs: { store } }: Services,
  { owner, id }: { readonly owner: string; readonly id: string },
): Promise<Assistant | undefined> {
  if (assistantId.test(id)) {
    const record = await store.getAgent({ owner, name: id });
    return record && ownAssistant(record);
  }
  const found = await findAgent({ configured, store }, { owner, model: id });
  if (found === undefined) return undefined;
  const { name, agent } = found;
  const own = found.source === "user" ? await store.getAgent({ owner, name }) : undefined;
  const fields = fieldsOf(name, agent, agent.model ?? models.default.id);
  return { id: name, agent, fields, createdAt: own?.createdAt ?? 0, isOwn: false };
}

/** Returns a stored assistant. */
export function ownAssistant({ name, agent, createdAt }: AgentRecord): Assistant {
  const { assistant, ...preset } = agent;
  const fields = assistant as unknown as AssistantFields;
  return { id: name, agent: preset, fields, createdAt, isOwn: true };
}

/** Returns an assistant in the form in which it is stored: as an agent. */
export function storedAssistant(agent: Agent, fields: AssistantFields): JsonObject {
  return { ...agent, assistant: fields } as unknown as JsonObject;
}

/** Returns the fields that an agent has as an assistant. */
function fieldsOf(name: string, agent: Agent, model: string): AssistantFields {
  const { title = name, instructions = null, functions = [], groups = [] } = agent;
  return {
    name: title,
    description: null,
    instructions,
    model,
    tools: [
      ...functions.map(functionTool),
      ...groups.map(({ group }) => ({
        type: "mcp",
        server_label: group,
        server_url: `capstan://groups/${group}`,
      })),
    ],
    tool_resources: null,
    metadata: {},
    temperature: null,
    top_p: null,
    response_format: "auto",
    reasoning_effort: null,
  };
}

function functionTool(given: AgentFunction): JsonObject {
  return { type: "function", function: given as unknown as JsonObject };
}

/** Returns an assistant as the API shows it. */
export function assistantView({ id, fields, createdAt }: Assistant): JsonObject & { id: string } {
  return {
    id,
    object: "assistant",
    created_at: Math.floor(createdAt / 1_000),
    ...(fields as unknown as JsonObject),
  };
}
