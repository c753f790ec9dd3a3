// The AI SDK with its provider for OpenAI, here with a stream of the Responses API.
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const provider = createOpenAI({ baseURL, apiKey });
const { textStream } = streamText({ model: provider.responses(model), prompt: "Hello" });
for await (const text of textStream) process.stdout.write(text);
