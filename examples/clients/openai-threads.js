// The Assistants API with `openai`.
import OpenAI from "openai";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const { assistants, threads } = new OpenAI({ baseURL, apiKey }).beta;
const assistant = await assistants.create({ model });
const thread = await threads.create({ messages: [{ role: "user", content: "Hello" }] });
const stream = threads.runs.stream(thread.id, { assistant_id: assistant.id });
const [message] = await stream.finalMessages();
console.log(message.content[0].text.value);
