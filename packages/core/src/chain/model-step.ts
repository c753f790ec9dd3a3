import type {
  AssistantMessage,
  Message,
  ReasoningPart,
  ToolCallRequest,
} from "../model/message.ts";
import type { FinishReason, Model, ModelEvent, ModelSettings, Usage } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { neutralise } from "../output/neutralise.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { StreamedItem } from "./chain-event.ts";
import type { ChainIds } from "./chain-ids.ts";
import { readStream } from "./read-stream.ts";
import type { Recorder } from "./recorder.ts";
import { soundEvent, soundStream } from "./sound-event.ts";
import { noUsage } from "./usage.ts";

export interface ModelStepOptions {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly clientNames: ReadonlySet<string>;
  readonly ids: ChainIds;
}

export interface ModelStep {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** Why it stopped early; the message is what had come until then, without calls. */
  readonly failure?: unknown;
}

interface OpenItem {
  readonly itemId: string;
  readonly kind: StreamedItem["kind"];
  text: string;
}

/** A call that has begun to come. */
interface OpenCall {
  readonly callId: string;
  readonly name: string;
  readonly item: OpenItem;
  ended: boolean;
}

/** Asks the model once, and passes on what it says as it comes. Never rejects. */
export async function modelStep(options: ModelStepOptions): Promise<ModelStep> {
  const { recorder, signal } = options;
  const texts: string[] = [];
  const reasoning: ReasoningPart[] = [];
  const calls: ToolCallRequest[] = [];
  /** By the provider's id. */
  const begun = new Map<string, OpenCall>();
  let open: OpenItem | undefined;
  let finishReason: FinishReason = "other";
  let usage = noUsage;
  let finished = false;

  const start = (item: StreamedItem): OpenItem => {
    const itemId = options.ids.item();
    if (recorder.isHeard) void recorder.event({ type: "item.start", itemId, ...item });
    return { itemId, kind: item.kind, text: "" };
  };
  let chars = 0;
  const say = (item: OpenItem, delta: string) => {
    chars += delta.length;
    if (chars > stepChars) throw endless();
    item.text += delta;
    if (recorder.isHeard) void recorder.event({ type: "item.delta", itemId: item.itemId, delta });
  };
  const end = ({ itemId, text: said }: OpenItem, incomplete: boolean, text = said): void => {
    if (!recorder.isHeard) return;
    void recorder.event({ type: "item.end", itemId, text, ...(incomplete && { incomplete }) });
  };
  const close = (incomplete = false, providerMetadata?: ReasoningPart["providerMetadata"]) => {
    if (open === undefined) return;
    end(open, incomplete);
    const { text } = open;
    if (open.kind === "text") texts.push(text);
    else reasoning.push({ text, ...(providerMetadata !== undefined && { providerMetadata }) });
    open = undefined;
  };
  const speak = (kind: "text" | "reasoning", delta: string) => {
    if (delta === "") return;
    if (open?.kind !== kind) {
      close();
      open = start({ kind });
    }
    say(open, delta);
  };
  const beginCall = (providerId: string, rawName: string): OpenCall => {
    close();
    const same = openCall(providerId);
    if (same !== undefined) end(same.item, true);
    const callId = options.ids.call(providerId);
    const name = callName(rawName);
    const owner = options.clientNames.has(name) ? "client" : "server";
    const item = start({ kind: "arguments", callId, name, owner });
    const call = { callId, name, item, ended: false };
    begun.set(providerId, call);
    return call;
  };
  const openCall = (providerId: string): OpenCall | undefined => {
    const call = begun.get(providerId);
    return call?.ended === true ? undefined : call;
  };

  const take = (event: ModelEvent) => {
    switch (event.type) {
      case "text-delta":
        return speak("text", event.text);
      case "reasoning-delta":
        return speak("reasoning", event.text);
      case "reasoning-end":
        // Reasoning that shows no text may still carry what the provider wants back.
        if (open?.kind !== "reasoning" && event.providerMetadata !== undefined) {
          close();
          open = start({ kind: "reasoning" });
        }
        return open?.kind === "reasoning" ? close(false, event.providerMetadata) : undefined;
      case "tool-call-start":
        return void beginCall(event.id, event.name);
      case "tool-call-delta": {
        const call = openCall(event.id);
        return call === undefined || event.delta === "" ? undefined : say(call.item, event.delta);
      }
      case "tool-call-end": {
        const call = openCall(event.id) ?? beginCall(event.id, event.name);
        call.ended = true;
        const { arguments: args, providerMetadata } = event;
        end(call.item, false, args);
        const request = toolCall(call, args);
        return void calls.push(
          providerMetadata === undefined ? request : { ...request, providerMetadata },
        );
      }
      case "retry":
        return void recorder.event(retryEvent(event));
      case "finish":
        finished = true;
        finishReason = event.reason;
        usage = event.usage;
        if (finishReason === "length" || finishReason === "content_filter")
          calls.push(...calls.splice(-1).map(cutOff));
        return undefined;
    }
  };

  let failure: unknown;
  try {
    const { model, messages, tools, settings } = options;
    const stream = soundStream(model, { ...settings, messages, tools }, signal);
    await readStream(stream, signal, (event) => {
      take(soundEvent(event));
      return finished ? "enough" : recorder.ready();
    });
    if (!finished) {
      throw new ModelError({
        code: "connection",
        message: "The model's answer ended before it was complete. Try again.",
      });
    }
  } catch (thrown) {
    failure = thrown ?? new Error("The model failed without saying why.");
  }
  close(failure !== undefined);
  for (const { item, ended } of begun.values()) if (!ended) end(item, true);

  const cut = failure !== undefined;
  const message: AssistantMessage = {
    role: "assistant",
    content: neutralise(texts.join("")),
    ...(reasoning.length > 0 && !cut && { reasoning }),
    ...(calls.length > 0 && !cut && { tool_calls: calls }),
  };
  return { message, finishReason, usage, ...(cut && { failure }) };
}

/** Characters of one step. More than any model's output limit allows: a stream that does not end. */
const stepChars = 8 * 1024 * 1024;

function toolCall({ callId, name }: OpenCall, args: string): ToolCallRequest {
  return { id: callId, type: "function", function: { name, arguments: args } };
}

function endless(): ModelError {
  const message = `The model said more than ${stepChars} characters in one step and was cut off.`;
  return new ModelError({ code: "server", message });
}

const nothingCame = "(cut off: the answer was ended before the arguments came)";

/** No arguments at all would be taken for those of a tool that needs none. */
function cutOff(last: ToolCallRequest): ToolCallRequest {
  const { name, arguments: args } = last.function;
  if (args.trim() !== "") return last;
  return { ...last, function: { name, arguments: nothingCame } };
}

function retryEvent(event: Extract<ModelEvent, { readonly type: "retry" }>) {
  const { attempt, delayMs, reason } = event;
  return { type: "model.retry", attempt, delayMs, reason } as const;
}

/** What every provider takes as a function's name, even where the model wrote none. */
export function callName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return name;
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}
