import { Agent, type IncomingMessage, request } from "node:http";
import { now } from "./time.ts";

/** A way to ask the upstream's model. */
export interface Route {
  readonly subject: string;
  /** Address of the API, with `/v1`. */
  readonly url: string;
  readonly api: "responses" | "chat/completions";
  /** @default the API's default */
  readonly store?: boolean;
  /** Comes before the model's name. */
  readonly prefix?: string;
}

export interface Ask {
  readonly deltas: number;
  /** The time between two deltas, in ms; 0 sends all at once. */
  readonly everyMs: number;
  readonly stream: boolean;
}

export interface Answered {
  /** From the request until the first delta, in ms. */
  readonly firstMs: number;
  /** From the upstream's writing of each delta until its arrival, in ms. */
  readonly latencies: readonly number[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
const deltaTexts = /"(?:delta|content)":"((?: @[\d.]+)+)"/g;

/**
 * Sends a request and reads its answer.
 *
 * @throws Error if the answer is not complete
 */
export async function ask(route: Route, { deltas, everyMs, stream }: Ask): Promise<Answered> {
  const model = `${route.prefix ?? ""}scripted-${deltas}-${everyMs}`;
  const input =
    route.api === "responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] };
  const { store } = route;
  const body = JSON.stringify({ model, ...input, stream, ...(store !== undefined && { store }) });
  const started = now();
  const answer = await post(`${route.url}/${route.api}`, body);
  const latencies: number[] = [];
  let [firstMs, read, rest] = [Number.NaN, "", ""];
  for await (const text of answer.setEncoding("utf8") as AsyncIterable<string>) {
    const at = now();
    const lines = rest + text;
    const end = lines.lastIndexOf("\n") + 1;
    rest = lines.slice(end);
    if (!stream) read += text;
    else
      for (const [, times = ""] of lines.slice(0, end).matchAll(deltaTexts)) {
        if (latencies.length === 0) firstMs = at - started;
        for (const time of times.split("@").slice(1)) latencies.push(at - Number(time));
      }
  }
  const isWhole = stream ? latencies.length === deltas : read.includes("@");
  if (answer.statusCode !== 200 || !isWhole)
    throw new Error(
      `${route.subject}: ${answer.statusCode}, ${latencies.length} of ${deltas} deltas: ${read.slice(0, 1_000)}`,
    );
  return { firstMs, latencies };
}

/** Sends a request again if the server closed the idle connection at the same moment. */
async function post(url: string, body: string): Promise<IncomingMessage> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  for (let tries = 1; ; tries++)
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        request(url, { method: "POST", headers, agent }, resolve).on("error", reject).end(body);
      });
    } catch (thrown) {
      const isReset = thrown instanceof Error && "code" in thrown && thrown.code === "ECONNRESET";
      if (!isReset || tries === 3) throw thrown;
    }
}
