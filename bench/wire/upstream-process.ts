// An OpenAI-compatible server. The model `scripted-N-MS` answers with N deltas, one each MS milliseconds.
// Each delta is the time of its writing.
import { createServer, type ServerResponse } from "node:http";
import { listenWithUsage } from "./serve-usage.ts";
import { now } from "./time.ts";

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    if (request.url?.endsWith("/models") === true) return void response.end('{"data":[]}');
    const { model } = JSON.parse(body) as { readonly model: string };
    const [, deltas = "1", everyMs = "0"] = model.split("-");
    answer(response, Number(deltas), Number(everyMs));
  });
});
await listenWithUsage(server);

function answer(response: ServerResponse, deltas: number, everyMs: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice: object, usage?: object) =>
    response.write(
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted", choices: [{ index: 0, finish_reason: null, ...choice }], ...(usage && { usage }) })}\n\n`,
    );
  let sent = 0;
  const sendDelta = () => send({ delta: { role: "assistant", content: ` @${now().toFixed(3)}` } });
  const end = () => {
    send(
      { delta: {}, finish_reason: "stop" },
      { prompt_tokens: 10, completion_tokens: deltas, total_tokens: 10 + deltas },
    );
    response.end("data: [DONE]\n\n");
  };
  if (everyMs === 0) {
    while (sent++ < deltas) sendDelta();
    end();
    return;
  }
  sendDelta();
  sent = 1;
  const timer = setInterval(() => {
    if (sent++ < deltas) return void sendDelta();
    clearInterval(timer);
    end();
  }, everyMs);
  response.on("close", () => clearInterval(timer));
}
