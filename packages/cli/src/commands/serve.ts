import type { Command } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "Start the server, and the web page with it",
  description: `Serves the page and the API at one address until it is stopped. A model of a provider answers
where its key is in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY,
or CAPSTAN_MODEL_URL for any OpenAI-compatible server); else the offline model does.
A flag wins over the environment variable in brackets, and that over capstan.config.json.
Other machines are let in with --host and keys: CAPSTAN_API_KEYS="name:key,name:key".
Several servers share a PostgreSQL database, CAPSTAN_DATABASE_URL, and a queue, CAPSTAN_REDIS_URL.`,
  options: settingOptions,
  examples: [
    { line: "capstan serve", says: "then open http://127.0.0.1:8787" },
    { line: "capstan serve --port 9000 --data ~/capstan", says: "another port, another place" },
    { line: "capstan serve --model openai/gpt-5.5", says: "the model where nobody chose" },
  ],
  async run({ values }) {
    const [{ readConfiguration }, { serve }] = await Promise.all([
      import("./shared/read-configuration.ts"),
      import("./serve-until-stopped.ts"),
    ]);
    const configuration = await readConfiguration(values);
    return configuration ? serve(configuration) : 2;
  },
};
