// The AI SDK with its provider for servers with the Responses API.
import { createOpenResponses } from "@ai-sdk/open-responses";
import { generateText } from "ai";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const provider = createOpenResponses({ name: "capstan", url: `${baseURL}/responses`, apiKey });
const { text } = await generateText({ model: provider(model), prompt: "Hello" });
console.log(text);
