import { type ContentPart, type Message, type Model, ModelError } from "@capstan/core";
import { type ModelCatalog, neutralise, noUsage } from "@capstan/core/host";
import type { DirectCall, Store } from "@capstan/store";

/** By its run's model a person's own call is known from a model's. */
export const oneCallModelId = "capstan/call";

/** The model that a request names; never one of the stand-in's name, whatever the catalog has. */
export async function findRequestedModel(
  models: ModelCatalog,
  id: string,
): Promise<Model | undefined> {
  const model = await models.find(id);
  return model?.id === oneCallModelId ? undefined : model;
}

/**
 * Creates a model that makes one call and answers nothing. A user's own call is therefore a run like
 * any other: it can need approval, is recorded, can be followed and stopped, and resumes after a
 * crash.
 *
 * @param names of the tools that are offered: as a model sees them → `group.Tool`
 */
export function oneCallModel(
  id: string,
  call: DirectCall,
  names: () => { readonly [modelName: string]: string },
): Model {
  return {
    id,
    async *stream({ messages }) {
      if (messages.some(({ role }) => role === "tool")) {
        yield { type: "text-delta", text: "The call is over." };
        yield { type: "finish", reason: "stop", usage: noUsage };
        return;
      }
      const { toolId, arguments: args } = call;
      // What is switched off is called by its id, which the gate answers with what there is.
      const name = Object.entries(names()).find(([, known]) => known === toolId)?.[0] ?? toolId;
      yield { type: "tool-call-end", id: "call_1", name, arguments: args };
      yield { type: "finish", reason: "tool_calls", usage: noUsage };
    },
  };
}

/** The model of a run, or one that fails with a reason if it is not there any more. */
export async function findModel(models: ModelCatalog, id: string): Promise<Model> {
  const model = await models.find(id);
  return model ?? missingModel(id);
}

/** A model that was there when the run began, and is not any more: the run fails with a reason. */
export function missingModel(id: string): Model {
  return {
    id,
    // eslint-disable-next-line require-yield -- it only fails
    async *stream() {
      throw new ModelError({
        code: "model_not_found",
        message: `The model "${id}" is not configured here any more. Choose another.`,
      });
    },
  };
}

/** Bytes of images and files that a model is sent at once, the newest. Providers take less. */
const maxBytes = 100_000_000;

/**
 * Returns a model that gets images and files as Base64. Messages refer to their bytes until then, so
 * that chains, journals and caches stay small. Beyond 100 MB the oldest ones are named instead.
 */
export function loadBlobs(model: Model, store: Pick<Store, "readBlob">): Model {
  return {
    id: model.id,
    ...(model.contextWindow !== undefined && { contextWindow: model.contextWindow }),
    ...(model.prices !== undefined && { prices: model.prices }),
    async *stream(request, signal) {
      if (!request.messages.some(refers)) {
        yield* model.stream(request, signal);
        return;
      }
      const left = { bytes: maxBytes };
      const messages: Message[] = [];
      for (const message of request.messages.toReversed())
        messages.unshift(refers(message) ? await loaded(message, store, left) : message);
      yield* model.stream({ ...request, messages }, signal);
    },
  };
}

function refers(message: Message): boolean {
  return partsOf(message).some(isReference);
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === "tool") return message.parts ?? [];
  return typeof message.content === "string" ? [] : message.content;
}

function isReference(part: ContentPart): boolean {
  return "source" in part && part.source.type === "blob";
}

async function loaded(
  message: Message,
  store: Pick<Store, "readBlob">,
  left: { bytes: number },
): Promise<Message> {
  const parts: ContentPart[] = [];
  for (const part of partsOf(message).toReversed())
    parts.unshift(await loadedPart(part, store, left));
  if (message.role === "tool") return { ...message, parts };
  return { ...message, content: parts } as Message;
}

async function loadedPart(
  part: ContentPart,
  store: Pick<Store, "readBlob">,
  left: { bytes: number },
): Promise<ContentPart> {
  if (!("source" in part) || part.source.type !== "blob") return part;
  const { sha256, size } = part.source;
  left.bytes -= size;
  const bytes = left.bytes < 0 ? undefined : await store.readBlob(sha256);
  if (bytes === undefined) {
    const name = part.type === "file" ? `file ${neutralise(part.name)}` : "image";
    const why =
      left.bytes < 0
        ? "it is not sent again, since newer images and files take 100 MB"
        : "its bytes are missing from the store";
    return { type: "text", text: `[${name} (${neutralise(part.mimeType)}): ${why}]` };
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  return { ...part, source: { type: "base64", data } };
}
