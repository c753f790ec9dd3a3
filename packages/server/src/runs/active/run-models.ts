import { type Model, ModelError } from "@capstan/core";
import { type ModelCatalog, noUsage } from "@capstan/core/host";
import type { DirectCall } from "@capstan/store";

/** The model id of runs that execute a user's direct call. */
export const oneCallModelId = "capstan/call";

/** Returns the model that a request names, but never one with the id of direct calls. */
export async function findRequestedModel(
  models: ModelCatalog,
  id: string,
): Promise<Model | undefined> {
  const model = await models.find(id);
  return model?.id === oneCallModelId ? undefined : model;
}

/**
 * Creates a model that makes one call and writes no answer. With it a user's direct call executes
 * as a run: the call can require approval, is recorded, can be streamed and stopped, and resumes
 * after a crash.
 *
 * @param names maps each offered tool's name, as a model sees it, to its id `group.Tool`
 */
export function oneCallModel(
  id: string,
  call: DirectCall,
  names: () => { readonly [modelName: string]: string },
): Model {
  return {
    id,
    async *stream({ messages }) {
      if (messages.some(({ role }) => role === "tool")) {
        yield { type: "text-delta", text: "The call has ended." };
        yield { type: "finish", reason: "stop", usage: noUsage };
        return;
      }
      const { toolId, arguments: args } = call;
      // A disabled tool is called by its id; the gate's error then lists the available
      // tools.
      const name = Object.entries(names()).find(([, known]) => known === toolId)?.[0] ?? toolId;
      yield { type: "tool-call-end", id: "call_1", name, arguments: args };
      yield { type: "finish", reason: "tool_calls", usage: noUsage };
    },
  };
}

/** Returns the model of a run, or one that fails with a reason if it no longer exists. */
export async function findModel(models: ModelCatalog, id: string): Promise<Model> {
  const model = await models.find(id);
  return model ?? createMissingModel(id);
}

/** Creates a placeholder for a model that no longer exists. It makes the run fail with a reason. */
export function createMissingModel(id: string): Model {
  return {
    id,
    // eslint-disable-next-line require-yield -- it only fails
    async *stream() {
      throw new ModelError({
        code: "model_not_found",
        message: `The model "${id}" is no longer configured on this server. Choose another model.`,
      });
    },
  };
}
