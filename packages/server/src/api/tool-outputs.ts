import type { ClientOutput } from "@capstan/core/host";
import type { Context } from "hono";
import { z } from "zod";
import type { RunRecord } from "@capstan/store";
import type { Environment, Services } from "../http/services.ts";
import { readBody } from "../http/read-body.ts";
import { badRequest, conflict, notFound, tooLong } from "../http/errors.ts";

const body = z.object({
  tool_outputs: z
    .array(z.object({ tool_call_id: z.string().min(1), output: z.string() }))
    .min(1, "expected one output or more."),
});

/** Takes what the client's tools answered: all that the request brings, or nothing of it. */
export async function submitToolOutputs(
  { limits, runs }: Services,
  context: Context<Environment>,
  run: RunRecord,
): Promise<void> {
  const { tool_outputs: given } = await readBody(context, body);
  const outputs: ClientOutput[] = [];
  for (const [index, { tool_call_id: callId, output }] of given.entries()) {
    const where = `tool_outputs.${index}`;
    if (outputs.some((other) => other.callId === callId))
      throw badRequest(
        `${where}.tool_call_id`,
        `${where}.tool_call_id: "${callId.slice(0, 100)}" is there twice; send one output a call.`,
      );
    if (output.length > limits.toolOutputChars)
      throw tooLong(
        `${where}.output`,
        `${where}.output: ${output.length} characters, and one output may have ${limits.toolOutputChars}. Nothing was taken, and the run waits on: send the part that matters, or where the rest is.`,
      );
    outputs.push({ callId, output });
  }
  const outcome = await runs.submitOutputs(run.owner, run.id, outputs);
  if (outcome.status === "not_found") throw notFound("run", run.id);
  if (outcome.status !== "refused") return;
  const index = outputs.findIndex(({ callId }) => callId === outcome.callId);
  if (outcome.known) throw conflict(`${outcome.reason} Nothing of this request was taken.`);
  throw badRequest(
    `tool_outputs.${index}.tool_call_id`,
    `tool_outputs.${index}.tool_call_id: ${outcome.reason} GET /v1/runs/${run.id} says in "waiting" what it waits for. Nothing of this request was taken.`,
  );
}
