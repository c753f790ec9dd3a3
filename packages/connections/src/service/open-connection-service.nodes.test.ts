import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../testing/read-results.ts";
import { memoryAdded, testService } from "../testing/test-service.ts";

test("a connection that a user adds or removes at one node is added or removed at the others", async () => {
  const added = memoryAdded();
  await using one = await testService({ added });
  await using other = await testService({ added });
  const settings = { type: "http", url: "https://mcp.example.org/mcp", enabled: true } as const;
  await added.save({ name: "tickets", settings, by: "ann", isNew: true });
  await until(() => other.connections.find("tickets") !== undefined);
  assert.equal(other.connections.groups.length, 1);
  await one.service.remove("tickets");
  await until(() => other.connections.find("tickets") === undefined);
  assert.deepEqual(other.connections.log, []);
});
