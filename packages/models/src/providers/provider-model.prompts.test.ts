import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyConversation } from "../testing/any-conversation.ts";
import { bodyOf } from "../testing/body-of.ts";
import { collectEvents } from "../testing/collect-events.ts";
import { formNames, modelOfForm } from "../testing/provider-forms.ts";
import { vendorRules } from "../testing/vendor-rules/vendor-rules.ts";
import { chunkedFetch, vendorStream } from "../testing/vendor-streams/vendor-stream.ts";

// Contract: model-messages-1
test("converts any conversation to a request that follows each provider's rules", async (t) => {
  for (const form of formNames)
    await t.test(form, async () => {
      await fc.assert(
        fc.asyncProperty(anyConversation, async (messages) => {
          assert.deepEqual(vendorRules[form](await bodyOf(form, messages)), []);
        }),
        { numRuns: 200 },
      );
    });
});

// Contract: model-messages-9
test("offers a tool by a valid name, and reports its calls by its own name", async (t) => {
  for (const form of formNames)
    await t.test(form, async () => {
      const tools = ["Add", "3d-view", "-x"].map(
        (name) => ({ type: "function", function: { name } }) as const,
      );
      const question = [{ role: "user", content: "Go" }] as const;
      const body = await bodyOf(form, question, tools);
      assert.deepEqual(vendorRules[form](body), []);
      const [offered = ""] = /_?3d-view/.exec(JSON.stringify(body)) ?? [];
      const calls = [{ name: offered, arguments: "{}" }];
      const bytes = new TextEncoder().encode(vendorStream(form, { calls }));
      const model = modelOfForm(form, chunkedFetch([bytes]));
      const { events } = await collectEvents(model, { messages: question, tools });
      const names = events.flatMap((event) => (event.type === "tool-call-end" ? [event.name] : []));
      assert.deepEqual(names, ["3d-view"]);
    });
});
