import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings } from "./check-settings.ts";
import { readWebhooks } from "./webhook-settings.ts";

const hook = { url: "https://example.org/hook", secret: "${HOOK_SECRET}" };
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("a webhook gets its secret from the environment, and all events by default", () => {
  assert.deepEqual(readWebhooks({ team: hook }, { HOOK_SECRET: ` ${secret}\n` }), {
    webhooks: [
      {
        endpoint: "team",
        url: hook.url,
        secret,
        events: ["approval.requested", "approval.answered", "outcome.requested", "run.ended"],
      },
    ],
    problems: [],
  });
});

test("a missing or weak secret is a problem that does not print it", () => {
  for (const [value, why] of [
    [undefined, /is not set/],
    ["hunter2", /another form/],
  ] as const) {
    const { problems } = readWebhooks({ team: hook }, { HOOK_SECRET: value });
    assert.match(problems[0] ?? "", /^webhooks\.team\.secret: HOOK_SECRET must be .*openssl rand/);
    assert.match(problems[0] ?? "", why);
    assert.doesNotMatch(problems[0] ?? "", /hunter2/);
  }
});

test("invalid webhooks are reported by name", () => {
  for (const [webhooks, message] of [
    [{ team: { ...hook, secret } }, /environment variable/],
    [{ team: { ...hook, url: "ftp://example.org" } }, /an address such as/],
    [{ team: { ...hook, url: "https://ann:pw@example.org" } }, /without a user name/],
    [{ team: { ...hook, events: ["run.started"] } }, /one of the events approval\.requested/],
    [{ team: { ...hook, events: [] } }, /at least one event/],
    [{ team: { ...hook, topics: [] } }, /only url, secret and events/],
    [{ "Bad name": hook }, /a name of 1 to 32/],
  ] as const) {
    const checked = checkSettings({ webhooks });
    assert.equal(checked.status, "invalid");
    assert.match(checked.findings[0]?.message ?? "", message);
  }
});
