import { visibleText } from "@capstan/core/text";
import type { CreateMessageRequest } from "../libraries/mcp-client.ts";
import type { RunningCall } from "./running-calls.ts";

/** The tool of a connection with which its server asks a model. */
export const modelTool = "AskModel";

/** The maximum number of a server's requests to the model during one call. */
const mostRequests = 10;

/** The longest request of a server, in characters, and the longest answer, in tokens. */
const longestRequest = 100_000;
const longestAnswer = 4_096;

/** The error code of MCP for a request that the user rejected. */
const rejected = -1;

/** A model's answer in the form of MCP. */
export type SampledMessage = {
  readonly role: "assistant";
  readonly content: { readonly type: "text"; readonly text: string };
  readonly model: string;
  readonly stopReason: string;
};

/** Arguments of `AskModel`, which a user sees and can change before approval. */
export interface ModelQuestion {
  readonly server: string;
  readonly system?: string | undefined;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly maxTokens: number;
}

/**
 * Answers a server's request to a model (MCP's sampling) through the gate, as a call of `AskModel`.
 * The user sees the whole request before a model does. The model gets texts only, and no tools.
 *
 * @throws ProtocolError if there is no answer
 */
export async function askModel(
  call: RunningCall | undefined,
  { params }: CreateMessageRequest,
): Promise<SampledMessage> {
  const read = readQuestion(call, params);
  if (typeof read === "string" || call === undefined) throw await rejection(read);
  call.onActivity();
  const result = await call.context.callTool(`${call.group}.${modelTool}`, { ...read });
  call.onActivity();
  if (result.status !== "success")
    throw await rejection(`The request was not answered: ${result.status}.`);
  return result.data as SampledMessage;
}

/** Returns the arguments of the tool, or the reason why the request is rejected. */
function readQuestion(
  call: RunningCall | undefined,
  { messages, systemPrompt = "", maxTokens }: CreateMessageRequest["params"],
): ModelQuestion | string {
  if (call === undefined) return "The request belongs to no call.";
  if (call.questions++ >= mostRequests) return `A call can make at most ${mostRequests} requests.`;
  const contents = messages.flatMap(({ content }) => content);
  const other = contents.find(({ type }) => type !== "text");
  if (other !== undefined) return `The model reads texts only, and got "${other.type}".`;
  const texts = messages.map(({ role, content }) => ({
    role,
    text: [content]
      .flat()
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("\n"),
  }));
  const length = texts.reduce((sum, { text }) => sum + text.length, systemPrompt.length);
  if (length > longestRequest)
    return `The request has ${length} characters. The limit is ${longestRequest}.`;
  return {
    server: call.group,
    ...(systemPrompt !== "" && { system: visibleText(systemPrompt) }),
    messages: texts.map(({ role, text }) => ({ role, text: visibleText(text) })),
    maxTokens: Math.max(1, Math.min(maxTokens, longestAnswer)),
  };
}

async function rejection(problem: unknown): Promise<Error> {
  const { ProtocolError } = await import("../libraries/mcp-client.ts");
  return new ProtocolError(rejected, String(problem));
}
