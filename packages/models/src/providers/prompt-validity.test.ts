import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import fc from "fast-check";
import { anyConversation } from "../testing/any-conversation.ts";
import { formNames, modelOfForm, type ProviderForm } from "../testing/provider-forms.ts";
import type { Fields } from "../testing/vendor-rules/rule-checks.ts";
import { vendorRules } from "../testing/vendor-rules/vendor-rules.ts";

/** The body that a conversation becomes on its way through the provider's own package. */
async function bodyOf(form: ProviderForm, messages: readonly Message[]): Promise<Fields> {
  let body: string | undefined;
  const model = modelOfForm(form, async (_, init) => {
    body = init?.body as string;
    return new Response('{"error":{"message":"enough"}}', { status: 400 });
  });
  const stream = model.stream({ messages, tools: [] }, new AbortController().signal);
  const thrown: unknown = await stream[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
  assert.ok(body !== undefined, `nothing was sent: ${String(thrown)}`);
  return JSON.parse(body) as Fields;
}

for (const form of formNames) {
  test(`whatever a conversation holds, ${form} gets a request that keeps its rules`, async () => {
    await fc.assert(
      fc.asyncProperty(anyConversation, async (messages) => {
        assert.deepEqual(vendorRules[form](await bodyOf(form, messages)), []);
      }),
      { numRuns: 300 },
    );
  });
}
