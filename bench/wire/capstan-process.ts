// Capstan's server, whose models are those of an upstream: node bench/wire/capstan-process.ts UPSTREAM
import { startEmptyServer } from "../start/empty-server.ts";
import { serveUsage } from "./serve-usage.ts";

const [upstream = ""] = process.argv.slice(2);
const server = await startEmptyServer({
  CAPSTAN_MODEL_URL: upstream,
  CAPSTAN_MODEL: "scripted",
  OLLAMA_HOST: "127.0.0.1:9",
});
serveUsage(`${server.url}/v1`, server.close);
