import assert from "node:assert/strict";
import type { Message, ToolDefinition } from "@capstan/core";
import { modelOfForm, type ProviderForm } from "./provider-forms.ts";
import type { Fields } from "./vendor-rules/rule-checks.ts";

/** Returns the request body that the provider's package builds from a conversation. */
export async function bodyOf(
  form: ProviderForm,
  messages: readonly Message[],
  tools: readonly ToolDefinition[] = [],
): Promise<Fields> {
  let body: string | undefined;
  const model = modelOfForm(form, async (_, init) => {
    body = init?.body instanceof Blob ? await init.body.text() : (init?.body as string);
    return new Response('{"error":{"message":"enough"}}', { status: 400 });
  });
  const stream = model.stream({ messages, tools }, new AbortController().signal);
  const thrown: unknown = await stream[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  assert.ok(body !== undefined, `nothing was sent: ${String(thrown)}`);
  return JSON.parse(body) as Fields;
}
