import type { Model } from "@capstan/core";
import { findRequestedModel } from "../runs/active/run-models.ts";
import { type Agent, findAgent } from "../runs/request/agent.ts";
import { RequestError } from "./errors.ts";
import type { Services } from "./services.ts";

/** The model of a request, and the agent that it named instead of a model. */
export interface Selection {
  readonly model: Model;
  readonly agent?: Agent;
  /** The agent's name as the request wrote it. Responses show it as their model. */
  readonly shownModel?: string;
}

/**
 * Finds the agent or the model that a request names. If the request names none, returns the default
 * agent of the caller's key, or else the server's default model.
 *
 * @param requested the request's `model`
 * @param options.unknownStatus the HTTP status for an unknown name
 * @throws RequestError if there is no such agent or model, or if the agent's model or one of its
 * groups no longer exists
 */
export async function selectAgent(
  { models, agents: configured, runs, groups }: Services,
  {
    principal: owner,
    defaultAgent,
  }: { readonly principal: string; readonly defaultAgent?: string | undefined },
  requested: string | undefined,
  { unknownStatus }: { readonly unknownStatus: 400 | 404 },
): Promise<Selection> {
  const wanted = requested ?? (defaultAgent === undefined ? undefined : `agent/${defaultAgent}`);
  const found =
    wanted === undefined
      ? undefined
      : await findAgent({ configured, store: runs.store }, { owner, model: wanted });
  if (found === undefined) {
    if (wanted?.startsWith("agent/") === true) throw unknownAgent(wanted, unknownStatus);
    const id = wanted ?? models.default.id;
    const model = await findRequestedModel(models, id);
    if (model === undefined) throw await unknownModel(models, id, unknownStatus);
    return { model };
  }
  const { name, agent } = found;
  const id = agent.model ?? models.default.id;
  const model = await findRequestedModel(models, id);
  if (model === undefined)
    throw unusable(name, `its model '${id}' does not exist here`, "model_not_found");
  const known = groups().map((group) => group.name);
  const missing = agent.groups?.find(({ group }) => !known.includes(group));
  if (missing !== undefined)
    throw unusable(name, `there is no tool group '${missing.group}' here`, "tool_group_not_found");
  return { model, agent, shownModel: requested ?? name };
}

/** Returns whether a model can return the log probabilities of its tokens. */
export async function givesLogprobs(
  { models }: Pick<Services, "models">,
  id: string,
): Promise<boolean> {
  return (await findRequestedModel(models, id))?.givesLogprobs === true;
}

function unknownAgent(wanted: string, status: number): RequestError {
  const message = `There is no agent '${wanted.slice(6, 106)}' here. GET /v1/agents lists the agents.`;
  return new RequestError({ status, param: "model", code: "model_not_found", message });
}

async function unknownModel(
  models: Services["models"],
  id: string,
  status: number,
): Promise<RequestError> {
  const known = (await models.list()).map((entry) => entry.id).slice(0, 20);
  const message = `The model '${id.slice(0, 200)}' does not exist here. There are: ${known.join(", ")}. GET /v1/models also lists the agents.`;
  return new RequestError({ status, param: "model", code: "model_not_found", message });
}

function unusable(name: string, reason: string, code: string): RequestError {
  const message = `The agent '${name}' cannot be used: ${reason}. Change the agent, or choose another model.`;
  return new RequestError({ param: "model", code, message });
}
