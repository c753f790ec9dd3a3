import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/command.ts";
import type { ChatRequest, UpstreamAnswer } from "../upstream.ts";
import { skipReason } from "./installed.ts";
import { aiSdkClients } from "./matrix/ai-sdk.ts";
import { dotnetClients } from "./matrix/dotnet.ts";
import { type Client, type Feature, features, type Question } from "./matrix/client.ts";
import { langChainClients } from "./matrix/langchain.ts";
import { agentsClients } from "./matrix/openai-agents.ts";
import { openAiClients } from "./matrix/openai-sdk.ts";
import { clientsPage } from "./matrix/page.ts";
import { model, serve } from "./served.ts";

// Every client with every feature, over real HTTP. `UPDATE_PAGES=1` writes the page with the
// results instead of comparing it.

const clients = [
  ...(await openAiClients()),
  ...(await agentsClients()),
  ...(await aiSdkClients()),
  ...(await langChainClients()),
  ...(await dotnetClients()),
];

const prompts = {
  text: "Say hello.",
  calls: "How is the weather?",
  parallel: "How is the weather in both?",
  schema: "Name a place.",
  images: "What is this?",
  agent: "Use the server.",
  errors: "Fail.",
} as const;

const call = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
const weatherOf = (place: string) => call("get_weather", { place });

/** Answers each prompt as the feature needs. */
function answer({ messages, tools = [] }: ChatRequest): UpstreamAnswer {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  const results = messages.filter(({ role }) => role === "tool");
  const said = results.map(({ content }) => String(content)).join(", ");
  if (asked.includes(prompts.errors)) return { status: 400 };
  if (asked.includes(prompts.schema)) return { say: ['{"place":', '"Kiel"}'] };
  if (asked.includes(prompts.images))
    return { say: [asked.includes("image_url") ? "A picture." : "Nothing."] };
  if (asked.includes(prompts.parallel))
    return results.length === 0
      ? { calls: [weatherOf("Kiel"), weatherOf("Oslo")] }
      : { say: ["It said: ", said] };
  if (asked.includes(prompts.calls)) {
    const place = ["Kiel", "Oslo"][results.length];
    return place === undefined ? { say: ["It said: ", said] } : { calls: [weatherOf(place)] };
  }
  if (asked.includes(prompts.agent)) {
    if (results.length > 0) return { say: ["The server said: ", said.split(" ")[0] ?? ""] };
    const found = tools.find(({ function: { name } }) => name === "WriteVar");
    return found === undefined
      ? { say: ["There is no tool."] }
      : { calls: [call("WriteVar", { name: "seen", value: "yes" })] };
  }
  return { say: ["Hello ", "there."] };
}

const schema = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
};

type Ask = NonNullable<Client["ask"]>;

/** The check of each feature. */
const checks: {
  readonly [feature in Feature]: (
    ask: (question: Partial<Question>) => Promise<string>,
  ) => Promise<void>;
} = {
  text: async (ask) => assert.equal(await ask({ prompt: prompts.text }), "Hello there."),
  streams: async (ask) =>
    assert.equal(await ask({ prompt: prompts.text, stream: true }), "Hello there."),
  calls: async (ask) => {
    for (const stream of [false, true])
      assert.equal(
        await ask({ prompt: prompts.calls, offersTool: true, stream }),
        "It said: storm in Kiel, storm in Oslo",
      );
  },
  parallel: async (ask) => {
    for (const stream of [false, true])
      assert.equal(
        await ask({ prompt: prompts.parallel, offersTool: true, stream }),
        "It said: storm in Kiel, storm in Oslo",
      );
  },
  schema: async (ask) =>
    assert.deepEqual(JSON.parse(await ask({ prompt: prompts.schema, schema })), { place: "Kiel" }),
  images: async (ask) =>
    assert.equal(await ask({ prompt: prompts.images, sendsImage: true }), "A picture."),
  agent: async (ask) => {
    for (const stream of [false, true])
      assert.match(
        await ask({ prompt: prompts.agent, model: "helper", stream }),
        /^The server said: \w/,
      );
  },
  errors: async (ask) => {
    const failure: unknown = await ask({ prompt: prompts.errors }).catch(
      (thrown: unknown) => thrown,
    );
    const { status, statusCode } = failure as { status?: number; statusCode?: number };
    assert.equal(status ?? statusCode, 400, String(failure));
    // A stream of the Responses API has begun before the model fails.
    await assert.rejects(ask({ prompt: prompts.errors, stream: true }));
  },
};

const configuration = { agents: { helper: { model, groups: ["vars"], history: "full" } } };
const served = await serve({ answer, configuration });
const passed = new Set<string>();
const cell = ({ title, api }: Client, feature: Feature): string => `${title} ${api} ${feature}`;

for (const client of clients)
  for (const feature of Object.keys(features) as Feature[]) {
    const { ask, lacks } = client;
    const skip = lacks?.[feature] ?? skipReason(ask);
    test(`${client.title}, ${client.api}: ${features[feature]}`, { skip }, async () => {
      const question = { model, prompt: "", stream: false };
      await checks[feature]((given) => (ask as Ask)(served.baseURL, { ...question, ...given }));
      passed.add(cell(client, feature));
    });
  }

test(
  "docs/reference/clients.md has the results",
  { skip: clients.some(({ ask }) => ask === undefined) && "a client could not be installed" },
  async () => {
    const file = join(root, "docs/reference/clients.md");
    const page = clientsPage(clients, (client, feature) => passed.has(cell(client, feature)));
    if (process.env["UPDATE_PAGES"] === "1") await writeFile(file, page);
    else assert.equal(await readFile(file, "utf8"), page, "UPDATE_PAGES=1 writes the page");
  },
);
