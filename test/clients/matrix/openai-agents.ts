import { loadClient } from "../installed.ts";
import { type Client, image, type Question, weather } from "./client.ts";

/** The part of `@openai/agents` that the tests use. */
interface Agents {
  readonly Agent: new (options: object) => object;
  readonly OpenAIProvider: new (options: object) => object;
  readonly Runner: new (options: object) => {
    run(agent: object, input: unknown, options: object): Promise<Result>;
  };
  readonly tool: (definition: object) => object;
}

interface Result {
  readonly finalOutput?: unknown;
  /** Of a stream. */
  readonly completed?: Promise<void>;
}

/** OpenAI's agents, with both APIs. */
export async function agentsClients(): Promise<readonly Client[]> {
  const agents = await loadClient<Agents>("@openai/agents");
  return (["Responses", "Chat Completions"] as const).map((api): Client => ({
    title: "`@openai/agents` 0.20",
    api,
    ask: agents && ((baseURL, question) => ask(agents, { baseURL, api, question })),
  }));
}

async function ask(
  { Agent, OpenAIProvider, Runner, tool }: Agents,
  {
    baseURL,
    api,
    question,
  }: { readonly baseURL: string; readonly api: Client["api"]; readonly question: Question },
): Promise<string> {
  const { model, prompt, stream, offersTool = false, sendsImage = false, schema } = question;
  const modelProvider = new OpenAIProvider({
    baseURL,
    apiKey: "local",
    useResponses: api === "Responses",
  });
  const { name, description, parameters, run } = weather;
  const agent = new Agent({
    name: "Helper",
    model,
    ...(offersTool && {
      tools: [
        tool({
          name,
          description,
          parameters,
          execute: async (input: { readonly place: string }) => run(input),
        }),
      ],
    }),
    ...(schema !== undefined && {
      outputType: { type: "json_schema", name: "answer", strict: true, schema },
    }),
  });
  const content = [
    { type: "input_text", text: prompt },
    ...(sendsImage ? [{ type: "input_image", image }] : []),
  ];
  const input = [{ role: "user", content }];
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const result = await runner.run(agent, input, { stream });
  await result.completed;
  const { finalOutput } = result;
  return typeof finalOutput === "string" ? finalOutput : JSON.stringify(finalOutput);
}
