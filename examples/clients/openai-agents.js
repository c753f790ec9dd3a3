// OpenAI's agents.
import { Agent, OpenAIProvider, Runner } from "@openai/agents";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const modelProvider = new OpenAIProvider({ baseURL, apiKey, useResponses: true });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const result = await runner.run(new Agent({ name: "Helper", model }), "Hello");
console.log(result.finalOutput);
