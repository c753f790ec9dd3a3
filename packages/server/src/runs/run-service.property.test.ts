import assert from "node:assert/strict";
import { test } from "node:test";
import { isSettled } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import fc from "fast-check";
import { owner, withMemoryStore } from "@capstan/store/testing";
import type { RunService } from "./run-service.ts";
import { isClosing } from "@capstan/store";
import { asking, begin, createRuns, requestOf, tool } from "../testing/run-fixtures.ts";

const weather = { type: "function", function: { name: "Weather" } } as const;
const actions = ["allow", "refuse", "submit", "wait", "restart", "expire", "cancel"] as const;
type Action = (typeof actions)[number];

const round = ["Look", "Ask", "Weather"].map((name) => ({ name }));

function serverOn(store: RunService["store"]): RunService {
  const tools = [tool("Look", () => "seen"), asking("Ask", () => "made")];
  const model = new ScriptedModel([]);
  // Two rounds of calls, wherever it is begun.
  model.stream = (request, signal) => {
    const rounds = request.messages.filter(({ role }) => role === "assistant").length;
    const step = rounds < 2 ? { text: `Round ${rounds}.`, calls: round } : "done";
    return new ScriptedModel([step]).stream(request, signal);
  };
  return createRuns({ store, model, tools });
}

test("whatever people, clients and servers do, a run is closed once, and nothing comes after", async () => {
  const steps = fc.array(fc.constantFrom(...actions), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(steps, (script) =>
      withMemoryStore(async (store) => {
        let server = serverOn(store);
        const request = requestOf("go", { clientTools: [weather], toolOutputs: "inline" });
        const { id } = await begin(server, request);
        for (const action of script) server = await act(server, id, action);
        const run = await store.getRun({ owner, id });
        if (run !== undefined && !isClosing(run.status)) await server.cancel(run);
        await pause();
        const closed = await store.getRun({ owner, id });
        assert.ok(closed !== undefined && isClosing(closed.status), closed?.status ?? "gone");
        const events = (await store.readEvents({ owner, runId: id, limit: 1_000 })) ?? [];
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, index) => index + 1),
        );
        assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
        assert.equal(events.at(-1)?.type, "chain.ended");
        const calls = (await store.readCalls({ owner, runId: id })) ?? [];
        assert.ok(calls.every(({ call }) => isSettled(call.status)));
        const { data } = await store.listApprovals({ owner, runId: id });
        assert.ok(data.every(({ status }) => status !== "pending"));
        await act(server, id, "allow");
        await act(server, id, "submit");
        await server.cancel(closed);
        assert.deepEqual(await store.getRun({ owner, id }), closed);
      }),
    ),
    { numRuns: 60 },
  );
});

/** Does one thing to a run; gives the server that has it from then on. */
async function act(server: RunService, id: string, action: Action): Promise<RunService> {
  const { store } = server;
  const run = await store.getRun({ owner, id });
  switch (action) {
    case "allow":
    case "refuse": {
      const { data } = await store.listApprovals({ owner, runId: id });
      const [open] = data.filter(({ status }) => status === "pending");
      if (open !== undefined) await server.answer(owner, open.id, { decision: action });
      return server;
    }
    case "submit": {
      const calls = (await store.readCalls({ owner, runId: id })) ?? [];
      const own = calls.filter(({ call }) => call.owner === "client");
      for (const { call } of own)
        await server.submitOutputs(owner, id, [{ callId: call.callId, output: "rain" }]);
      return server;
    }
    case "wait":
      await pause();
      return server;
    case "restart": {
      await server.close(0);
      const next = serverOn(store);
      await next.recover(await next.listUnfinished());
      return next;
    }
    case "expire":
      if (run?.status === "requires_action") await server.expire(run);
      return server;
    case "cancel":
      if (run !== undefined) await server.cancel(run);
      return server;
  }
}

async function pause(): Promise<void> {
  for (let turns = 0; turns < 12; turns++) await new Promise(setImmediate);
}
