import assert from "node:assert/strict";
import { test } from "node:test";
import { plainStyle } from "../terminal/style.ts";
import { checkServices } from "./doctor.ts";
import { renderChecks } from "./shared/render-checks.ts";

const nobodyListens = {
  CAPSTAN_DATABASE_URL: "postgres://capstan:secret-word@127.0.0.1:1/runs",
  CAPSTAN_REDIS_URL: "redis://:secret-word@127.0.0.1:1/0",
};

test("services that the environment does not name are not checked", async () => {
  assert.deepEqual(await checkServices({}), []);
});

test("an unreachable PostgreSQL or Redis is reported with a remedy and without its password", async () => {
  const checks = await checkServices(nobodyListens);
  assert.deepEqual(
    checks.map(({ name, status }) => `${name} ${status}`),
    ["postgresql wrong", "redis wrong"],
  );
  const text = renderChecks(checks, plainStyle);
  assert.match(text, /postgresql +wrong +.*127\.0\.0\.1:1\/runs.*Check that PostgreSQL runs/);
  assert.match(
    text,
    /redis +wrong +.*127\.0\.0\.1:1\/0 .*\n.*Runs continue with a delay.*\n.*Check that Redis runs/,
  );
  assert.doesNotMatch(JSON.stringify(checks), /secret-word/);
});

test("an invalid address is reported with the message of the server's start", async () => {
  const [database, redis] = await checkServices({
    CAPSTAN_DATABASE_URL: "capstan:secret-word@db",
    CAPSTAN_REDIS_URL: "http://:secret-word@queue",
  });
  assert.match(database?.detail ?? "", /^CAPSTAN_DATABASE_URL: expected postgres:/);
  assert.match(redis?.detail ?? "", /^CAPSTAN_REDIS_URL: expected redis:/);
  const [alone] = await checkServices({ CAPSTAN_REDIS_URL: nobodyListens.CAPSTAN_REDIS_URL });
  assert.match(alone?.detail ?? "", /Set CAPSTAN_DATABASE_URL, too/);
});
