// A client that knows only a base URL, a key and a model name. The agent "reader" gives it tools:
// docs/guides/agents.md has the configuration.
// npm run example -- examples/agent-client.ts http://127.0.0.1:8787/v1 reader 'What is in notes.txt?'
import OpenAI from "openai";

const [
  baseURL = "http://127.0.0.1:8787/v1",
  model = "reader",
  question = '/ViewFile {"path": "notes.txt"}',
] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: process.env["CAPSTAN_API_KEY"] ?? "local" });

const completion = await client.chat.completions.create({
  model,
  messages: [{ role: "user", content: question }],
});
console.log(completion.choices[0]?.message.content);
