import { loadClient } from "../installed.ts";
import { type Client, image, type Question, weather } from "./client.ts";

/** The part of `@langchain/openai` that the tests use. */
interface LangChain {
  readonly ChatOpenAI: new (options: object) => Chat;
}

interface Chat extends Runnable<Message> {
  bindTools(tools: readonly object[]): Runnable<Message>;
  withStructuredOutput(schema: object, options: object): Runnable<object>;
}

interface Runnable<Answer> {
  invoke(messages: readonly object[]): Promise<Answer>;
  stream(messages: readonly object[]): Promise<AsyncIterable<Answer>>;
}

interface Message {
  readonly text: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly args: { readonly place: string };
  }[];
  concat(next: Message): Message;
}

/** LangChain, with both APIs. */
export async function langChainClients(): Promise<readonly Client[]> {
  const langChain = await loadClient<LangChain>("@langchain/openai");
  return (["Responses", "Chat Completions"] as const).map((api): Client => ({
    title: "`@langchain/openai` 1.6",
    api,
    ask:
      langChain &&
      ((baseURL, question) => {
        const chat = new langChain.ChatOpenAI({
          model: question.model,
          apiKey: "local",
          maxRetries: 0,
          useResponsesApi: api === "Responses",
          configuration: { baseURL },
        });
        return ask(chat, question);
      }),
  }));
}

async function ask(chat: Chat, question: Question): Promise<string> {
  const { prompt, stream, offersTool = false, sendsImage = false, schema } = question;
  const content = [
    { type: "text", text: prompt },
    ...(sendsImage ? [{ type: "image_url", image_url: { url: image } }] : []),
  ];
  const history: object[] = [{ role: "user", content }];
  if (schema !== undefined) {
    const structured = chat.withStructuredOutput(schema, {
      name: "answer",
      method: "jsonSchema",
      strict: true,
    });
    return JSON.stringify(await structured.invoke(history));
  }
  const { name, description, parameters } = weather;
  const definition = { type: "function", function: { name, description, parameters } };
  const bound = offersTool ? chat.bindTools([definition]) : chat;
  for (;;) {
    const answer = stream
      ? (await Array.fromAsync(await bound.stream(history))).reduce((all, next) => all.concat(next))
      : await bound.invoke(history);
    const calls = answer.tool_calls ?? [];
    if (calls.length === 0) return answer.text;
    history.push(answer);
    for (const { id, args } of calls)
      history.push({ role: "tool", tool_call_id: id, content: weather.run(args) });
  }
}
