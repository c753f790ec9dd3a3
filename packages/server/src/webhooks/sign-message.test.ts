import assert from "node:assert/strict";
import { test } from "node:test";
import { isSigningSecret, signMessage } from "./sign-message.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("signs as the published example of the specification", () => {
  assert.deepEqual(
    signMessage(
      {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp: 1614265330,
        body: '{"test": 2432232314}',
      },
      secret,
    ),
    {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
  );
});

test("a secret has its prefix and at least 24 bytes", () => {
  assert.ok(isSigningSecret(secret));
  for (const text of ["", "whsec_", secret.slice(6), "whsec_short", "whsec_MfKQ9r8GKYqrTwjUPD8I"])
    assert.ok(!isSigningSecret(text), text);
});
