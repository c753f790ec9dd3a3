import { after } from "node:test";
import {
  createServerFolder,
  readLedger,
  type ServerFolder,
  startServerProcess,
} from "../server-process.ts";
import { toyServer } from "../server-scripts.ts";
import { type ChatRequest, startUpstream, type UpstreamAnswer } from "../upstream.ts";

/** A server for the tests of one client, with a scripted model behind it. */
export interface Served {
  /** The base URL for clients. */
  readonly baseURL: string;
  /** The requests that the model has received. */
  readonly requests: readonly ChatRequest[];
  /** The messages of the model's last request, without the system's. */
  readonly messages: () => readonly string[];
  /** The server's folder, with its data directory. */
  readonly folder: ServerFolder;
  /** The effects of the server's tools. */
  readonly ledger: () => Promise<readonly string[]>;
}

/** The id of the scripted model. */
export const model = "custom/scripted";

const weatherOf = (place: string) => ({
  calls: [{ name: "get_weather", arguments: JSON.stringify({ place }) }],
});

/**
 * Asks for the weather of two places, one after the other, if that tool is offered; otherwise calls
 * `Append`. Answers with the results.
 */
function callTools({ messages, tools }: ChatRequest): UpstreamAnswer {
  const results = messages.filter(({ role }) => role === "tool");
  if (tools?.some(({ function: { name } }) => name === "get_weather") === true) {
    if (results.length === 0) return weatherOf("Kiel");
    if (results.length === 1) return weatherOf("Oslo");
  } else if (results.length === 0) {
    return { calls: [{ name: "Append", arguments: '{"line":"approved"}' }] };
  }
  return { say: ["It said: ", results.map(({ content }) => String(content)).join(", ")] };
}

interface ServeOptions {
  /** `toys` for a group whose tool `Append` needs approval. @default the built-in ones */
  readonly tools?: "toys";
  /** The scripted model. @default asks for the weather, or calls `Append` */
  readonly answer?: (request: ChatRequest) => UpstreamAnswer;
  /** The models that its provider lists. @default scripted */
  readonly models?: readonly string[];
  /** The server's configuration file. @default none */
  readonly configuration?: object;
}

/** Starts `capstan serve` until the end of the tests. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const resources = new AsyncDisposableStack();
  after(() => resources.disposeAsync());
  const { answer = callTools, configuration, models = ["scripted"] } = options;
  const upstream = resources.use(await startUpstream(answer, { models }));
  const files =
    configuration === undefined ? {} : { "capstan.config.json": JSON.stringify(configuration) };
  const folder = resources.use(await createServerFolder(files));
  const { environment } = upstream;
  const script = options.tools === "toys" ? { script: toyServer } : {};
  const server = resources.use(await startServerProcess({ folder, environment, ...script }));
  return {
    baseURL: `${server.url}/v1`,
    requests: upstream.requests,
    folder,
    messages: () =>
      (upstream.requests.at(-1)?.messages ?? []).flatMap(({ role, content }) =>
        role === "system" ? [] : [`${role}: ${String(content ?? "")}`],
      ),
    ledger: () => readLedger(folder),
  };
}

/** The messages of the loop with two calls. */
export const weatherMessages = [
  "user: How is the weather?",
  "assistant: ",
  "tool: storm in Kiel",
  "assistant: ",
  "tool: storm in Oslo",
];

/** The messages after the approved call. */
export const approvedMessages = ["user: Append a line.", "assistant: ", "tool: recorded approved"];
