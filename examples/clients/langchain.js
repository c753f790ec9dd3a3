// LangChain; `useResponsesApi: true` selects the Responses API.
import { ChatOpenAI } from "@langchain/openai";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
const answer = await chat.invoke("Hello");
console.log(answer.text);
