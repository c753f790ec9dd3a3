import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatRequest, UpstreamAnswer } from "../upstream.ts";
import { loadClient, skipReason } from "./installed.ts";
import { model, serve } from "./served.ts";

/* The tools that the Responses API defines and clients run, with the clients' own definitions of them. */

interface ShellCall {
  readonly commands: readonly string[];
}

interface Patch {
  readonly path: string;
}

/** The part of `ai` and `@ai-sdk/openai` that the tests use. */
interface AiSdk {
  generateText(options: object): Promise<{ readonly text: string }>;
  streamText(options: object): { readonly text: PromiseLike<string> };
  stepCountIs(count: number): object;
}

interface OpenAiProvider {
  createOpenAI(options: object): {
    responses(model: string): object;
    readonly tools: {
      readonly [name in "shell" | "localShell" | "applyPatch" | "customTool"]: (
        options: object,
      ) => object;
    };
  };
}

interface Agents {
  readonly Agent: new (options: object) => object;
  readonly OpenAIProvider: new (options: object) => object;
  readonly Runner: new (options: object) => {
    run(
      agent: object,
      input: string,
      options: { readonly stream: boolean },
    ): Promise<{ readonly finalOutput?: string; readonly completed?: Promise<void> }>;
  };
  shellTool(options: object): object;
  applyPatchTool(options: object): object;
}

const ai = await loadClient<AiSdk>("ai");
const provider = await loadClient<OpenAiProvider>("@ai-sdk/openai");
const agents = await loadClient<Agents>("@openai/agents");

/** A call of each tool, in the order in which the model makes them. */
const calls: { readonly [name: string]: object } = {
  shell: { commands: ["ls", "pwd"] },
  apply_patch: { operation: { type: "create_file", path: "a.txt", diff: "+hi" } },
  local_shell: { command: ["ls", "-l"] },
  rhyme: { input: "cat hat" },
};

/** Calls each offered tool once, and then answers with their results. */
function callEach({ messages, tools = [] }: ChatRequest): UpstreamAnswer {
  const results = messages.filter(({ role }) => role === "tool");
  const offered = tools.map((tool) => tool.function.name);
  const name = Object.keys(calls).filter((each) => offered.includes(each))[results.length];
  if (name === undefined)
    return { say: [`It said: ${results.map(({ content }) => String(content)).join(" | ")}`] };
  return { calls: [{ name, arguments: JSON.stringify(calls[name]) }] };
}

const runShell = async ({ commands }: ShellCall) => ({
  output: commands.map((command) => ({
    stdout: `ran ${command}`,
    stderr: "",
    outcome: { type: "exit", exitCode: 0 },
  })),
});
const ran = (command: string) =>
  `{"stdout":"ran ${command}","stderr":"","outcome":{"type":"exit","exit_code":0}}`;
const shellAndPatch = `It said: [${ran("ls")},${ran("pwd")}] | completed: patched a.txt`;

const ways = [true, false].flatMap((store) =>
  [true, false].map((isStreamed) => ({ store, isStreamed })),
);

// Contract: responses-15, responses-14
test("ai 7: shells, patches and a custom tool", { skip: skipReason(ai && provider) }, async () => {
  assert.ok(ai !== undefined && provider !== undefined);
  const { baseURL } = await serve({ answer: callEach });
  const client = provider.createOpenAI({ baseURL, apiKey: "local" });
  const { shell, applyPatch, localShell, customTool } = client.tools;
  const tools = {
    shell: shell({ execute: ({ action }: { readonly action: ShellCall }) => runShell(action) }),
    apply_patch: applyPatch({
      execute: async ({ operation }: { readonly operation: Patch }) => ({
        status: "completed",
        output: `patched ${operation.path}`,
      }),
    }),
    local_shell: localShell({
      execute: async ({
        action,
      }: {
        readonly action: { readonly command: readonly string[] };
      }) => ({
        output: `local ${action.command.join(" ")}`,
      }),
    }),
    rhyme: customTool({
      format: { type: "grammar", syntax: "regex", definition: "[a-z]+ [a-z]+" },
      execute: async (input: string) => `rhymed ${input}`,
    }),
  };
  for (const { store, isStreamed } of ways) {
    const options = {
      model: client.responses(model),
      prompt: "Go on.",
      stopWhen: ai.stepCountIs(8),
      tools,
      ...(!store && { providerOptions: { openai: { store: false } } }),
    };
    const text: string = isStreamed
      ? await ai.streamText(options).text
      : (await ai.generateText(options)).text;
    const how = `store ${store}, streamed ${isStreamed}`;
    assert.equal(text, `${shellAndPatch} | local ls -l | rhymed cat hat`, how);
  }
});

// Contract: responses-15
test("@openai/agents: a shell and patches", { skip: skipReason(agents) }, async () => {
  assert.ok(agents !== undefined);
  const { baseURL } = await serve({ answer: callEach });
  const modelProvider = new agents.OpenAIProvider({ baseURL, apiKey: "local", useResponses: true });
  const runner = new agents.Runner({ modelProvider, tracingDisabled: true });
  const patched = async ({ path }: Patch) => ({ status: "completed", output: `patched ${path}` });
  const editor = { createFile: patched, updateFile: patched, deleteFile: patched };
  const tools = [agents.shellTool({ shell: { run: runShell } }), agents.applyPatchTool({ editor })];
  for (const { store, isStreamed } of ways) {
    const agent = new agents.Agent({ name: "Worker", model, modelSettings: { store }, tools });
    const result = await runner.run(agent, "Go on.", { stream: isStreamed });
    await result.completed;
    assert.equal(result.finalOutput, shellAndPatch, `store ${store}, streamed ${isStreamed}`);
  }
});
