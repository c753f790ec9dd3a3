import { defineTool, type Message, type Model, type Tool, toolError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { z } from "zod";
import { type ModelQuestion, modelTool, type SampledMessage } from "../client/ask-model.ts";

/** Returns the model with an id, or `undefined` if it is not configured. */
export type FindModel = (id: string) => Promise<Model | undefined>;

/**
 * The tool with which a server asks a model during its calls. Every call needs approval.
 *
 * @param modelId the model that the administrator chose
 */
export function askModelTool(modelId: string, findModel: FindModel): Tool {
  return defineTool({
    name: modelTool,
    description:
      "Used by the server during its calls, to ask a language model. Do not call it yourself.",
    parameters: z.object({
      server: z.string(),
      system: z.string().optional().describe("The instructions for the model."),
      messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
      maxTokens: z.number().describe("The longest answer, in tokens."),
    }),
    effects: "write",
    permission: { executionPolicy: "ask-always" },
    asksUser: true,
    examples: [
      {
        title: "Asks the model for a summary.",
        args: {
          server: "tickets",
          messages: [{ role: "user", text: "Summarise this ticket: …" }],
          maxTokens: 500,
        },
      },
    ],
    errors: {
      model_not_found: "there is no model with the configured name",
      model_failed: "the model failed",
    },
    async execute(question, { signal }) {
      const model = await findModel(modelId);
      if (model === undefined)
        return toolError({
          code: "model_not_found",
          message: `There is no model "${modelId}", which the setting "sampling" of the connection names. An administrator can choose another one.`,
        });
      try {
        return await answer(model, question, signal);
      } catch (thrown) {
        return toolError({
          code: "model_failed",
          message: `${model.id} failed: ${errorMessage(thrown)}`,
          retryable: true,
        });
      }
    },
  });
}

async function answer(
  model: Model,
  { system, messages, maxTokens }: ModelQuestion,
  signal: AbortSignal,
): Promise<SampledMessage> {
  let [text, stopReason] = ["", "endTurn"];
  const given: readonly Message[] = messages.map(({ role, text: content }) => ({ role, content }));
  const all: readonly Message[] =
    system === undefined ? given : [{ role: "system", content: system }, ...given];
  const request = { messages: all, tools: [], maxOutputTokens: maxTokens };
  for await (const event of model.stream(request, signal)) {
    if (event.type === "text-delta" || event.type === "refusal-delta") text += event.text;
    if (event.type === "finish" && event.reason === "length") stopReason = "maxTokens";
  }
  return { role: "assistant", content: { type: "text", text }, model: model.id, stopReason };
}
