// The Chat Completions API with `openai`.
import OpenAI from "openai";

const baseURL = process.env.CAPSTAN_URL ?? "http://127.0.0.1:8787/v1";
const apiKey = process.env.CAPSTAN_API_KEY ?? "local";
const model = process.env.CAPSTAN_MODEL ?? "capstan/offline";

const client = new OpenAI({ baseURL, apiKey });
const messages = [{ role: "user", content: "Hello" }];
const completion = await client.chat.completions.create({ model, messages });
console.log(completion.choices[0].message.content);
