import assert from "node:assert/strict";
import { test } from "node:test";
import { loadClient, skipReason } from "./installed.ts";
import { approvedMessages, model, serve, weatherMessages } from "./served.ts";

/** The part of `@openai/agents` that the tests use. */
interface Agents {
  readonly Agent: new (options: object) => object;
  readonly OpenAIProvider: new (options: object) => object;
  readonly Runner: new (options: object) => {
    run(agent: object, input: unknown): Promise<AgentResult>;
  };
  tool(definition: object): object;
  hostedMcpTool(options: object): object;
}

interface AgentResult {
  readonly finalOutput?: string;
  readonly interruptions: readonly object[];
  readonly state: { approve(interruption: object): void };
}

const agents = await loadClient<Agents>("@openai/agents");
const skip = skipReason(agents);

function runnerFor({ OpenAIProvider, Runner }: Agents, baseURL: string) {
  const modelProvider = new OpenAIProvider({ baseURL, apiKey: "local", useResponses: true });
  return new Runner({ modelProvider, tracingDisabled: true });
}

// Contract: history-9
test("@openai/agents: a loop of function calls", { skip }, async () => {
  assert.ok(agents !== undefined);
  const { baseURL, messages } = await serve();
  const weather = agents.tool({
    name: "get_weather",
    description: "Returns the weather",
    strict: false,
    parameters: {
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
      additionalProperties: true,
    },
    execute: async ({ place }: { readonly place: string }) => `storm in ${place}`,
  });
  for (const store of [true, false]) {
    const agent = new agents.Agent({
      name: "Weather",
      model,
      modelSettings: { store },
      tools: [weather],
    });
    const { finalOutput } = await runnerFor(agents, baseURL).run(agent, "How is the weather?");
    assert.equal(finalOutput, "It said: storm in Kiel, storm in Oslo");
    assert.deepEqual(messages(), weatherMessages, `store ${store}`);
  }
});

// Contract: history-9
test("@openai/agents: an approval of a server's call", { skip }, async () => {
  assert.ok(agents !== undefined);
  const { baseURL, messages, ledger } = await serve({ tools: "toys" });
  for (const [index, store] of [true, false].entries()) {
    const agent = new agents.Agent({
      name: "Writer",
      model,
      modelSettings: { store },
      tools: [
        agents.hostedMcpTool({
          serverLabel: "toys",
          serverUrl: "capstan://groups/toys",
          requireApproval: "always",
        }),
      ],
    });
    const runner = runnerFor(agents, baseURL);
    const first = await runner.run(agent, "Append a line.");
    const [interruption] = first.interruptions;
    assert.ok(interruption !== undefined);
    first.state.approve(interruption);
    const second = await runner.run(agent, first.state);
    assert.equal(second.finalOutput, "It said: recorded approved");
    assert.deepEqual(messages(), approvedMessages, `store ${store}`);
    assert.equal((await ledger()).length, index + 1);
  }
});
