import { type Client, type Feature, features } from "./client.ts";

/**
 * Returns the page of clients.
 *
 * @param isPassed whether the test of a client's feature has passed
 */
export function clientsPage(
  clients: readonly Client[],
  isPassed: (client: Client, feature: Feature) => boolean,
): string {
  const names = Object.keys(features) as Feature[];
  const notes: string[] = [];
  const rows = clients.map((client) => {
    const cells = names.map((feature) => {
      if (isPassed(client, feature)) return "yes";
      const reason = client.lacks?.[feature];
      if (reason === undefined) return "**fails**";
      if (!notes.includes(reason)) notes.push(reason);
      return `[${notes.indexOf(reason) + 1}]`;
    });
    return `| ${[client.title, client.api, ...cells].join(" | ")} |`;
  });
  const columns = ["client", "API", ...names.map((name) => features[name])];
  const footnotes = notes.map((note, index) => `[${index + 1}] ${note}\n`);
  return `${intro}
| ${columns.join(" | ")} |
|${"---|".repeat(columns.length)}
${rows.join("\n")}

${footnotes.length === 0 ? "" : `${footnotes.join("\n")}\n`}${more}`;
}

const intro = `# Clients

To connect a client, set three values:

- the base URL: \`http://127.0.0.1:8787/v1\`
- the key: a key of the server, or any text if the server has no keys
- the model: the name of a model or an [agent](../guides/agents.md) that \`GET /v1/models\` lists

[\`examples/clients\`](../../examples/clients) has a short program for each client.

These clients are tested with a real server and a scripted model. \`test/clients/matrix.test.ts\` writes this page, and \`npm run test:long\` installs the clients and
checks it.
`;

const more = `Function calls, parallel calls, agents and errors are tested with and without streams. If the model's provider fails, the response has the HTTP
status of the failure, so that clients retry. If a stream of the Responses API has begun, it ends with a \`response.failed\` event instead.

## Approvals

In the Responses API, \`openai\`, \`@openai/agents\` and \`ai\` 6 and 7 answer approval requests of a server's group (\`mcp_approval_request\`). \`ai\` 5, LangChain and
the Chat Completions API do not support them. In these cases, and with an agent, the answer waits until a user approves the call in the page or a terminal.

## Assistants

The \`openai\` package has the [Assistants API](threads.md) in \`client.beta\`. \`test/threads.test.ts\` and the tests of \`packages/server/src/threads\` use it:

| Feature | |
|---|---|
| \`assistants\`: create, retrieve, update, list with automatic paging, delete | yes |
| \`threads\` and \`threads.messages\`, with images, attachments and metadata | yes |
| \`runs.createAndPoll\`, \`runs.stream\`, \`createAndRunPoll\`, \`submitToolOutputsAndPoll\`, \`submitToolOutputsStream\` | yes, also after a restart of the server |
| \`runs.steps\` with function, \`file_search\` and \`code_interpreter\` calls | yes |
| approvals of server calls | in the page or a terminal; the run stays \`in_progress\` |
| vector stores (\`client.vectorStores\`) | yes ([vector stores](vector-stores.md)) |

## Codex

[\`examples/codex/config.toml\`](../../examples/codex/config.toml) is the only configuration that Codex 0.169 (\`@openai/codex\`) needs, also over WebSocket. \`test/clients/codex.test.ts\` tests \`codex exec\`
with this file:

| Feature | |
|---|---|
| text, answers that must match a schema (\`--output-schema\`), \`codex exec resume\` | yes |
| shell commands, one after the other and in parallel | yes |
| patches (\`apply_patch\`) | yes; the server enforces the grammar, and Codex never sees an invalid patch |
| tools in namespaces, such as those of MCP servers that Codex connects to; \`tool_search\` | yes |
| models that get their tools only in the input (\`gpt-6-sol\`) | yes |
| groups of the server | through an agent: \`model = "NAME"\`. Codex shows each call as reasoning |
| approvals of server calls | in the page or a terminal; Codex waits |

Codex chooses its tools by the name of the model: it offers \`apply_patch\` and \`tool_search\` only for models that it knows, such as \`gpt-5.5\`.

## Tools that the API defines

\`test/clients/client-tools.test.ts\` uses the clients' own definitions of these tools, stored and not, with and without streams:

| Tool | \`ai\` 7 with \`@ai-sdk/openai\` 4 | \`@openai/agents\` 0.20 |
|---|---|---|
| \`shell\` | yes | yes |
| \`apply_patch\` | yes | yes |
| \`local_shell\` | yes | the client has no such tool |
| \`custom\` with a grammar | yes | the client has no such tool |
`;
