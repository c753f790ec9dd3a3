import { failedResponse } from "../stream/failed-response.ts";
import { wholeBody } from "../request/long-texts.ts";
import type { PartModel, PartReader, ProviderPart } from "../stream/part-model.ts";
import type { Provider } from "../request/provider.ts";
import { chatBody } from "./chat-body.ts";
import { createChunkReader } from "./chunk-reader.ts";
import { createEventReader } from "./event-reader.ts";
import type { SendRequest, ServerAnswer } from "./send-request.ts";

interface ChatModelOptions {
  readonly provider: Provider;
  readonly modelName: string;
  readonly send: SendRequest;
}

/** Creates a model of an OpenAI-compatible server, called through Chat Completions. */
export function createChatModel({ provider, modelName, send }: ChatModelOptions): PartModel {
  const { id, key } = provider;
  const url = `${provider.url}/chat/completions`;
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  return {
    modelId: modelName,
    async open(options, signal) {
      const text = JSON.stringify(chatBody(options, { providerId: id, modelName }));
      const answer = await send({ url, headers, body: await wholeBody(text, signal), signal });
      if (answer.status < 200 || answer.status > 299) throw await failedAnswer(answer);
      return readParts(answer, id);
    },
  };
}

/** The maximum time between the end of an answer and the end of its response, in ms. */
const endMs = 100;

function failedAnswer({ status, headers, read, cancel }: ServerAnswer): Promise<Error> {
  async function* body() {
    try {
      for (let bytes = await read(); bytes !== undefined; bytes = await read()) yield bytes;
    } finally {
      cancel(undefined);
    }
  }
  return failedResponse({ status, headers, body: body() });
}

function readParts(answer: ServerAnswer, providerId: string): PartReader {
  const readEvents = createEventReader();
  const chunks = createChunkReader(providerId);
  let isOver = false;

  /** Waits for the end of the response, so that its connection can be used again. */
  async function readEnd(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(() => resolve(), endMs)));
    const end = answer.read().catch(() => undefined);
    await Promise.race([end, late]).finally(() => clearTimeout(timer));
  }

  return {
    async read() {
      if (isOver) return undefined;
      const bytes = await answer.read();
      if (bytes === undefined) {
        isOver = true;
        return chunks.finish();
      }
      const parts: ProviderPart[] = [];
      for (const data of readEvents(bytes)) {
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
    cancel: answer.cancel,
  };
}
