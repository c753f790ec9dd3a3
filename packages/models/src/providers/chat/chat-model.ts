import { failedResponse } from "../stream/failed-response.ts";
import type { PartModel, PartReader, ProviderPart } from "../stream/part-model.ts";
import type { Provider } from "../request/provider.ts";
import { chatBody } from "./chat-body.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { createEventReader } from "./event-reader.ts";

interface ChatModelOptions {
  readonly provider: Provider;
  readonly modelName: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Creates a model of an OpenAI-compatible server, called through Chat Completions. */
export function createChatModel({ provider, modelName, fetch }: ChatModelOptions): PartModel {
  const { id, url, key } = provider;
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  return {
    modelId: modelName,
    async open(options, signal) {
      const body = JSON.stringify(chatBody(options, { providerId: id, modelName }));
      const request = { method: "POST", headers, body, signal };
      const response = await fetch(`${url}/chat/completions`, request);
      if (!response.ok) throw await failedResponse(response);
      return readAnswer(response, id);
    },
  };
}

/** How long the end of a response may follow the end of its answer, in ms. */
const endMs = 100;

function readAnswer({ body }: Response, providerId: string): PartReader {
  const reader = body?.getReader();
  const readEvents = createEventReader();
  const chunks = createChunkReader(providerId);
  let isOver = false;

  /** Waits for the end of the response, so that its connection can be used again. */
  async function readEnd(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(() => resolve(), endMs)));
    const end = reader?.read().catch(() => undefined);
    await Promise.race([end, late]).finally(() => clearTimeout(timer));
  }

  return {
    async read() {
      if (isOver) return undefined;
      const next = await reader?.read();
      if (next?.value === undefined) {
        isOver = true;
        return chunks.finish();
      }
      const parts: ProviderPart[] = [];
      for (const data of readEvents(next.value)) {
        if (data === "[DONE]") {
          isOver = true;
          await readEnd();
          parts.push(...chunks.finish());
          break;
        }
        parts.push(...chunks.read(data));
      }
      return parts;
    },
    cancel: (reason) => void reader?.cancel(reason).catch(() => undefined),
  };
}
