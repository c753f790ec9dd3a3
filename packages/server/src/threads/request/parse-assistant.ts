import { z } from "zod";
import { checked, missingParameter } from "../../http/errors.ts";
import type { ServerGroup } from "@capstan/store";
import type { Agent } from "../../runs/request/agent.ts";
import type { Assistant, AssistantFields } from "./assistant.ts";
import { objectBody, rejectUnknown, samplingFields, wireFormat } from "./fields.ts";
import { agentGroup, parseAssistantTools, type ToolSources } from "./parse-tools.ts";
import { parseToolResources } from "./tool-resources.ts";

const schema = z.object({
  ...samplingFields,
  name: z.string().max(256).nullish(),
  description: z.string().max(512).nullish(),
  tool_resources: z.unknown().optional(),
});

/** A parsed assistant: the agent to store, and the fields that the API shows. */
export interface ParsedAssistant {
  readonly agent: Agent;
  readonly fields: AssistantFields;
  /** The groups that the request offers; empty if it leaves the tools as they are. */
  readonly servers: readonly ServerGroup[];
}

/**
 * Parses the body of `POST /v1/assistants` and of `POST /v1/assistants/{id}`. A field that a change
 * does not give keeps its value.
 *
 * @param before the assistant to change; absent for a new one
 * @throws RequestError with the path of the invalid field
 */
export function parseAssistant(
  body: unknown,
  { before, ...sources }: ToolSources & { readonly before?: Assistant | undefined },
): ParsedAssistant {
  const given = checked(schema, objectBody(body), "");
  rejectUnknown(objectBody(body), schema.shape);
  const model = given.model ?? before?.fields.model;
  if (model === undefined) throw missingParameter("model");
  const tools = given.tools == null ? undefined : parseAssistantTools(given.tools, sources);
  /** The value of a field: null clears it, and a field that is not given keeps its value. */
  const valueOf = <T>(value: T | null | undefined, old: T | null | undefined): T | null =>
    value === undefined ? (old ?? null) : value;
  const old = before?.fields;
  const fields: AssistantFields = {
    name: valueOf(given.name, old?.name),
    description: valueOf(given.description, old?.description),
    instructions: valueOf(given.instructions, old?.instructions),
    model,
    tools: tools?.echo ?? old?.tools ?? [],
    tool_resources: valueOf(
      given.tool_resources === undefined ? undefined : parseToolResources(given.tool_resources),
      old?.tool_resources,
    ),
    metadata: valueOf(given.metadata, old?.metadata) ?? {},
    temperature: valueOf(given.temperature, old?.temperature),
    top_p: valueOf(given.top_p, old?.top_p),
    response_format: wireFormat(given.response_format) ?? old?.response_format ?? "auto",
    reasoning_effort: valueOf(given.reasoning_effort, old?.reasoning_effort),
  };
  const { name, instructions } = fields;
  const offered =
    tools === undefined
      ? { functions: before?.agent.functions ?? [], groups: before?.agent.groups ?? [] }
      : {
          functions: tools.client.map((tool) => tool.function),
          groups: tools.servers.map(agentGroup),
        };
  const agent = {
    ...(name !== null && name !== "" && { title: name }),
    model,
    ...(instructions !== null && instructions !== "" && { instructions }),
    ...offered,
  };
  return { agent: agent as Agent, fields, servers: tools?.servers ?? [] };
}
