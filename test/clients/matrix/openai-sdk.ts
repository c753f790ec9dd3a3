import { loadClient } from "../installed.ts";
import { type Client, image, type Question, weather } from "./client.ts";

/** The part of `openai` that the tests use. */
interface OpenAiPackage {
  readonly OpenAI: new (options: object) => OpenAi;
}

interface OpenAi {
  readonly chat: {
    readonly completions: {
      create(body: object): Promise<Completion>;
      stream(body: object): { finalChatCompletion(): Promise<Completion> };
    };
  };
  readonly responses: {
    create(body: object): Promise<Response>;
    stream(body: object): { finalResponse(): Promise<Response> };
  };
}

interface Completion {
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function: { readonly arguments: string };
      }[];
    };
  }[];
}

interface Response {
  readonly output: readonly {
    readonly type: string;
    readonly content?: readonly { readonly text?: string }[];
    readonly call_id?: string;
    readonly arguments?: string;
  }[];
}

const { name, description, parameters } = weather;

/** The official client, with both of its APIs. */
export async function openAiClients(): Promise<readonly Client[]> {
  const versions = [
    { title: "`openai` 7", found: await loadClient<OpenAiPackage>("openai") },
    { title: "`openai` 6", found: await loadClient<OpenAiPackage>("openai6") },
  ];
  return versions.flatMap(({ title, found }): readonly Client[] => {
    const create =
      found && ((baseURL: string) => new found.OpenAI({ baseURL, apiKey: "local", maxRetries: 0 }));
    return [
      {
        title,
        api: "Responses",
        ask: create && ((baseURL, question) => askResponses(create(baseURL), question)),
      },
      {
        title,
        api: "Chat Completions",
        ask: create && ((baseURL, question) => askChat(create(baseURL), question)),
      },
    ];
  });
}

async function askResponses({ responses }: OpenAi, question: Question): Promise<string> {
  const { model, prompt, stream, offersTool = false, sendsImage = false, schema } = question;
  const content = [
    { type: "input_text", text: prompt },
    ...(sendsImage ? [{ type: "input_image", image_url: image, detail: "auto" }] : []),
  ];
  const input: object[] = [{ role: "user", content }];
  const tools = [{ type: "function", name, description, parameters, strict: true }];
  const format = { type: "json_schema", name: "answer", strict: true, schema };
  for (;;) {
    const body = {
      model,
      input,
      ...(offersTool && { tools }),
      ...(schema !== undefined && { text: { format } }),
    };
    const answer = stream
      ? await responses.stream(body).finalResponse()
      : await responses.create(body);
    const calls = answer.output.filter(({ type }) => type === "function_call");
    // Version 6 has `output_text` only without a stream.
    const parts = answer.output.flatMap(({ type, content = [] }) =>
      type === "message" ? content : [],
    );
    if (calls.length === 0) return parts.map(({ text = "" }) => text).join("");
    input.push(...answer.output);
    for (const { call_id, arguments: args = "" } of calls)
      input.push({ type: "function_call_output", call_id, output: outputOf(args) });
  }
}

async function askChat({ chat }: OpenAi, question: Question): Promise<string> {
  const { model, prompt, stream, offersTool = false, sendsImage = false, schema } = question;
  const content = [
    { type: "text", text: prompt },
    ...(sendsImage ? [{ type: "image_url", image_url: { url: image } }] : []),
  ];
  const messages: object[] = [{ role: "user", content }];
  const tools = [{ type: "function", function: { name, description, parameters } }];
  const format = { type: "json_schema", json_schema: { name: "answer", strict: true, schema } };
  for (;;) {
    const body = {
      model,
      messages,
      ...(offersTool && { tools }),
      ...(schema !== undefined && { response_format: format }),
    };
    const { choices } = stream
      ? await chat.completions.stream(body).finalChatCompletion()
      : await chat.completions.create(body);
    const message = choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (message === undefined || calls.length === 0) return message?.content ?? "";
    messages.push(message);
    for (const { id, function: called } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: outputOf(called.arguments) });
  }
}

function outputOf(args: string): string {
  return weather.run(JSON.parse(args) as { readonly place: string });
}
