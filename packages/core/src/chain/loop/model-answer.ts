import type { AssistantMessage, ReasoningPart, ToolCallRequest } from "../../model/message.ts";
import type { TokenLogprob } from "../../model/logprobs.ts";
import { cutsOff, markIncomplete } from "../../model/incomplete-calls.ts";
import type { FinishReason, ModelEvent } from "../../model/model.ts";
import { type Usage, noUsage } from "../../model/usage.ts";
import { ModelError } from "../../model/model-error.ts";
import type { TurnSources } from "./turn.ts";
import {
  citedSource,
  placeAnnotations,
  type PlacedAnnotation,
  shiftAnnotations,
} from "../../model/annotation.ts";
import { neutralise } from "../../text/neutralise.ts";
import { callName, type ChainIds } from "./chain.ts";
import type { StreamedItem } from "../journal/chain-event.ts";
import type { Recorder } from "../journal/recorder.ts";

/** The options of `ModelAnswer`. */
export interface ModelAnswerOptions {
  readonly recorder: Recorder;
  readonly clientNames: ReadonlySet<string>;
  readonly ids: ChainIds;
  /** Returns the sources of the turn's results. @default none */
  readonly sources?: () => TurnSources;
}

interface OpenItem {
  readonly itemId: string;
  readonly kind: StreamedItem["kind"];
  readonly refusal?: true;
  text: string;
}

interface StreamedCall {
  readonly providerId: string;
  readonly callId: string;
  readonly name: string;
  readonly item: OpenItem;
  ended: boolean;
}

interface CloseOptions {
  readonly incomplete?: boolean;
  readonly isLast?: boolean;
  readonly providerMetadata?: ReasoningPart["providerMetadata"];
}

/** Assembles a model's answer in one step, and passes it on as it arrives. */
export class ModelAnswer {
  finishReason: FinishReason = "other";
  usage: Usage = noUsage;
  isFinished = false;
  readonly #options: ModelAnswerOptions;
  readonly #reasoning: ReasoningPart[] = [];
  readonly #calls: ToolCallRequest[] = [];
  #text = "";
  #annotations: readonly PlacedAnnotation[] = [];
  #refused = false;
  #open: OpenItem | undefined;
  #latest: StreamedCall | undefined;
  /** All calls before the latest one, by the provider's id. */
  #before: Map<string, StreamedCall> | undefined;
  #chars = 0;
  readonly #logprobs: TokenLogprob[] = [];
  /**
   * The item of the call that ended last. It stays open until the next event, because a finish
   * reason can show that it is incomplete.
   */
  #held: OpenItem | undefined;

  constructor(options: ModelAnswerOptions) {
    this.#options = options;
  }

  /**
   * @throws ModelError if the answer exceeds the maximum length of a step
   */
  add(event: ModelEvent): void {
    if (event.type !== "finish") this.#release(false);
    switch (event.type) {
      case "text-delta":
        if (event.logprobs !== undefined) this.#addLogprobs(event.logprobs);
        return this.#addText("text", event.text);
      case "refusal-delta":
        return this.#addText("text", event.text, true);
      case "reasoning-delta":
        return this.#addText("reasoning", event.text);
      case "reasoning-end":
        // Reasoning without text can still have metadata that must be returned to the provider.
        if (this.#open?.kind !== "reasoning" && event.providerMetadata !== undefined) {
          this.#close();
          this.#open = this.#startItem({ kind: "reasoning" });
        }
        return this.#open?.kind === "reasoning"
          ? this.#close({ providerMetadata: event.providerMetadata })
          : undefined;
      case "tool-call-start":
        return void this.#beginCall(event.id, event.name);
      case "tool-call-delta": {
        const call = this.#openCall(event.id);
        return call === undefined || event.delta === ""
          ? undefined
          : this.#append(call.item, event.delta);
      }
      case "tool-call-end":
        return this.#endCall(event);
      case "retry": {
        const { attempt, delayMs, reason } = event;
        return this.#options.recorder.appendEvent({
          type: "model.retry",
          attempt,
          delayMs,
          reason,
        });
      }
      case "finish":
        this.isFinished = true;
        this.finishReason = event.reason;
        this.usage = event.usage;
        if (cutsOff(event.reason)) this.#calls.push(...markIncomplete(this.#calls.splice(0)));
        return this.#release(this.#calls.at(-1)?.incomplete === true);
    }
  }

  /** Ends the answer and returns the message. If it was cut off, the message has no calls. */
  end(isCut: boolean): AssistantMessage {
    this.#release(isCut);
    this.#close({ incomplete: isCut, isLast: this.#latest === undefined });
    for (const { item, ended } of this.#before?.values() ?? [])
      if (!ended) this.#endItem(item, true);
    if (this.#latest?.ended === false) this.#endItem(this.#latest.item, true);
    const reasoning = this.#reasoning;
    const calls = this.#calls;
    return {
      role: "assistant",
      content: neutralise(this.#text),
      ...(reasoning.length > 0 && !isCut && { reasoning }),
      ...(calls.length > 0 && !isCut && { tool_calls: calls }),
      ...(this.#refused && { refusal: true }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
    };
  }

  /** Holds log probabilities until their text arrives. */
  #addLogprobs(logprobs: readonly TokenLogprob[]): void {
    this.#chars += logprobs.length;
    if (this.#chars > stepChars) throw endless();
    this.#logprobs.push(...logprobs);
  }

  #reportLogprobs({ itemId }: OpenItem): void {
    const logprobs = this.#logprobs.splice(0);
    const { recorder } = this.#options;
    if (logprobs.length > 0 && recorder.isObserved)
      recorder.appendEvent({ type: "item.logprobs", itemId, logprobs });
  }

  #startItem(item: StreamedItem): OpenItem {
    const { ids, recorder } = this.#options;
    const itemId = ids.item();
    if (recorder.isObserved) recorder.appendEvent({ type: "item.start", itemId, ...item });
    const refusal = item.kind === "text" && item.refusal === true;
    return { itemId, kind: item.kind, ...(refusal && { refusal }), text: "" };
  }

  #append(item: OpenItem, delta: string): void {
    this.#chars += delta.length;
    if (this.#chars > stepChars) throw endless();
    item.text += delta;
    const { recorder } = this.#options;
    if (recorder.isObserved)
      recorder.appendEvent({ type: "item.delta", itemId: item.itemId, delta });
  }

  #endItem(
    { itemId, text }: OpenItem,
    incomplete: boolean,
    annotations: readonly PlacedAnnotation[] = [],
  ): void {
    const { recorder } = this.#options;
    if (!recorder.isObserved) return;
    recorder.appendEvent({
      type: "item.end",
      itemId,
      text,
      ...(incomplete && { incomplete }),
      ...(annotations.length > 0 && { annotations }),
    });
  }

  #addText(kind: "text" | "reasoning", delta: string, refusal = false): void {
    if (delta === "") return;
    this.#refused ||= refusal;
    if (this.#open?.kind !== kind || (this.#open.refusal === true) !== refusal) {
      this.#close();
      this.#open = this.#startItem(
        kind === "text" ? { kind, ...(refusal && { refusal }) } : { kind },
      );
    }
    if (kind === "text" && !refusal) this.#reportLogprobs(this.#open);
    this.#append(this.#open, delta);
  }

  /** Ends the current text or reasoning item. `isLast`: no call follows. */
  #close({ incomplete = false, isLast = false, providerMetadata }: CloseOptions = {}): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { kind, text } = open;
    if (kind === "text") this.#reportLogprobs(open);
    const annotations = this.#cited(open, isLast);
    this.#endItem(open, incomplete, annotations);
    if (kind === "text") {
      const shifted = shiftAnnotations(annotations, this.#text.length);
      this.#annotations = [...this.#annotations, ...shifted];
      this.#text += text;
    } else
      this.#reasoning.push({ text, ...(providerMetadata !== undefined && { providerMetadata }) });
  }

  /**
   * Returns the sources that a text cites. A text before further calls cites only those that it
   * mentions; the answer cites the others too.
   */
  #cited({ kind, refusal, text }: OpenItem, isLast: boolean): readonly PlacedAnnotation[] {
    const { sources } = this.#options;
    if (kind !== "text" || refusal === true || text === "" || sources === undefined) return [];
    const { annotations, cited } = sources();
    if (annotations.length === 0) return [];
    const before = new Set(this.#annotations.map(citedSource));
    return placeAnnotations(text, annotations, {
      placesRest: (one) => {
        const source = citedSource(one);
        return isLast && !cited.has(source) && !before.has(source);
      },
    });
  }

  #beginCall(providerId: string, rawName: string): StreamedCall {
    this.#close();
    const same = this.#openCall(providerId);
    if (same !== undefined) {
      same.ended = true;
      this.#endItem(same.item, true);
    }
    const { ids, clientNames } = this.#options;
    const callId = ids.call(providerId);
    const name = callName(rawName);
    const owner = clientNames.has(name) ? "client" : "server";
    const item = this.#startItem({ kind: "arguments", callId, name, owner });
    const latest = this.#latest;
    if (latest !== undefined && !latest.ended)
      (this.#before ??= new Map()).set(latest.providerId, latest);
    return (this.#latest = { providerId, callId, name, item, ended: false });
  }

  #endCall(event: Extract<ModelEvent, { readonly type: "tool-call-end" }>): void {
    const call = this.#openCall(event.id) ?? this.#beginCall(event.id, event.name);
    call.ended = true;
    const { providerMetadata, arguments: args, incomplete } = event;
    call.item.text = args;
    if (incomplete === true) this.#endItem(call.item, true);
    else this.#held = call.item;
    const { callId: id, name } = call;
    this.#calls.push({
      id,
      type: "function",
      function: { name, arguments: args },
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(incomplete === true && { incomplete }),
    });
  }

  /** Ends the item of the last call. */
  #release(incomplete: boolean): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#endItem(held, incomplete);
  }

  #openCall(providerId: string): StreamedCall | undefined {
    const call =
      this.#latest?.providerId === providerId ? this.#latest : this.#before?.get(providerId);
    return call?.ended === true ? undefined : call;
  }
}

/**
 * Characters of one step. No model's output limit allows more, so a longer stream would probably
 * never end.
 */
const stepChars = 8 * 1024 * 1024;

function endless(): ModelError {
  const message = `The model wrote more than ${stepChars} characters in one step and was cut off.`;
  return new ModelError({ code: "server", message });
}
