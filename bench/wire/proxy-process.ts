// A reverse proxy that only copies bytes: node bench/wire/proxy-process.ts UPSTREAM
import { Agent, createServer, request } from "node:http";
import { listenWithUsage } from "./serve-usage.ts";

const [upstream = ""] = process.argv.slice(2);
const { origin } = new URL(upstream);
const agent = new Agent({ keepAlive: true });

const server = createServer((from, to) => {
  const { method, headers, url = "/" } = from;
  const sent = request(new URL(url, origin), { method, headers, agent }, (answer) => {
    to.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(to);
  });
  sent.on("error", () => to.destroy());
  from.pipe(sent);
});
await listenWithUsage(server);
