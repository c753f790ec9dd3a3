import { VariableSystem } from "@capstan/core";
import { titleOf } from "@capstan/core/host";
import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from "../libraries/mcp-server.ts";
import type { Services } from "../http/services.ts";
import { agentName } from "../runs/request/agent.ts";
import type { Exchange } from "./protocol/exchange.ts";

/** A prompt and its text. */
interface ListedPrompt {
  readonly prompt: Prompt;
  readonly text: string;
}

/**
 * Returns the prompts of a principal by name: the instructions of its agents, and the skill rules of
 * the enabled groups.
 */
export async function listPrompts(
  services: Services,
  { principal, group: only }: Exchange,
): Promise<ReadonlyMap<string, ListedPrompt>> {
  const prompts = new Map<string, ListedPrompt>();
  const add = (name: string, text: string, more: Omit<Prompt, "name">) => {
    if (text.trim() !== "" && !prompts.has(name))
      prompts.set(name, { prompt: { name, ...more }, text });
  };
  if (only === undefined) {
    for (const [name, agent] of await agentsOf(services, principal))
      add(`agent-${name}`, agent.instructions ?? "", {
        title: agent.title ?? name,
        description: "The instructions of an agent.",
      });
  }
  const executor = services.createExecutor({ variables: new VariableSystem() });
  for (const group of executor.groups()) {
    if (!executor.isGroupEnabled(group.name) || (only !== undefined && only !== group.name))
      continue;
    for (const [name, { desc, prompt }] of Object.entries(group.declareSkillRules ?? {}))
      add(`${group.name}-${name}`, prompt, {
        title: `${titleOf(group)}: ${name}`,
        description: desc,
      });
  }
  return prompts;
}

async function agentsOf(
  { agents, runs }: Services,
  owner: string,
): Promise<
  readonly (readonly [string, { readonly title?: string; readonly instructions?: string }])[]
> {
  const own = await runs.store.listAgents({ owner });
  return [
    ...Object.entries(agents),
    ...own.flatMap((entry) =>
      "name" in entry && "agent" in entry && agentName.test(entry.name)
        ? [
            [
              entry.name,
              entry.agent as { readonly title?: string; readonly instructions?: string },
            ] as const,
          ]
        : [],
    ),
  ];
}

/** @throws ProtocolError if there is no such prompt */
export async function getPrompt(
  services: Services,
  exchange: Exchange,
  name: string,
): Promise<GetPromptResult> {
  const found = (await listPrompts(services, exchange)).get(name);
  if (found === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt "${name.slice(0, 100)}" here. prompts/list has the names of all prompts.`,
    );
  const { description } = found.prompt;
  return {
    ...(description !== undefined && { description }),
    messages: [{ role: "user", content: { type: "text", text: found.text } }],
  };
}
