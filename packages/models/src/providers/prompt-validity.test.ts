import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyConversation } from "../testing/any-conversation.ts";
import { bodyOf } from "../testing/body-of.ts";
import { formNames } from "../testing/provider-forms.ts";
import { vendorRules } from "../testing/vendor-rules/vendor-rules.ts";

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
