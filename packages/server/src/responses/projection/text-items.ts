import type { JsonObject, PlacedAnnotation, TokenLogprob } from "@capstan/core";
import { detached } from "@capstan/core/host";
import { wireAnnotation } from "../../http/tools/wire-annotations.ts";
import { wireLogprob } from "../../http/tools/wire-logprobs.ts";
import { createItemWriter, type ItemWriter, type OutputOrder, type Phase } from "./output-order.ts";
import type { FunctionCallWriter } from "./client-calls.ts";
import type {
  ItemEvent,
  ItemStatus,
  OutputItem,
  OutputText,
  ReasoningText,
  RefusalPart,
} from "./wire.ts";

/** How a text ended. */
export interface TextEnd {
  readonly incomplete: boolean;
  /** The sources that the text cites. @default none */
  readonly annotations?: readonly PlacedAnnotation[] | undefined;
}

interface Sink {
  append(delta: string): void;
  /** Adds the tokens of the next delta. */
  addLogprobs?(logprobs: readonly TokenLogprob[]): void;
  end(text: string, options: TextEnd): void;
}

/** Routes the deltas and ends of a run's streamed items to their writers. */
export function createTextItems(
  outputOrder: OutputOrder,
  {
    holdsAnswers = false,
  }: {
    /**
     * Whether a text is sent only after its step has ended, because the step may be rejected: a text
     * that was sent cannot be withdrawn.
     */
    readonly holdsAnswers?: boolean;
  } = {},
) {
  let held: HeldWriter[] = [];
  const open = new Map<string, Sink>();
  /** Texts that can still turn out to be truncated, until the output order closes them. */
  let unsettled: TextWriter[] = [];

  /** Enters the output order at the first character, because an empty text has no item. */
  const textSink = (writer: TextWriter): Sink => {
    let hasEntered = false;
    const enter = (text: string): void => {
      if (hasEntered || text === "") return;
      hasEntered = true;
      unsettled.push(writer);
      outputOrder.enter(writer);
    };
    return {
      addLogprobs: writer.addLogprobs,
      append(delta) {
        writer.append(delta);
        enter(delta);
      },
      end(text, options) {
        writer.end(text, options);
        enter(text);
      },
    };
  };

  /** Enters the output order at the start, and leaves it if its text stays empty. */
  const answerSink = (writer: TextWriter): Sink => {
    outputOrder.enter(writer);
    return {
      append: (delta) => writer.append(delta),
      end(text, options) {
        writer.end(text, options);
        if (text === "") outputOrder.withdraw(writer);
      },
    };
  };

  return {
    /** Starts the message of a final call, at the position at which the call started. */
    startAnswer(itemId: string): void {
      open.set(itemId, answerSink(createTextWriter(messageFormat)));
    },
    start(itemId: string, kind: "text" | "refusal" | "reasoning"): void {
      unsettled = unsettled.filter((writer) => writer.phase() !== "ended");
      const writer = createTextWriter(formats[kind]);
      if (!holdsAnswers || kind !== "text") return void open.set(itemId, textSink(writer));
      const hidden = holdBack(writer);
      held.push(hidden);
      open.set(itemId, textSink(hidden));
    },
    /** Shows the texts of a step, which can no longer be rejected. */
    release(): void {
      for (const writer of held) writer.release();
      held = [];
    },
    /**
     * Starts the arguments of a client's call. Without a `writer`, nothing is sent, and `written`
     * is called with the complete arguments.
     */
    startArguments(
      itemId: string,
      writer: FunctionCallWriter | undefined,
      written: (whole: string) => void,
    ): void {
      const end: Sink["end"] = (text, { incomplete }) => {
        if (!incomplete) written(text);
      };
      open.set(itemId, writer ?? { append: () => {}, end });
    },
    append(itemId: string, delta: string): void {
      open.get(itemId)?.append(delta);
    },
    addLogprobs(itemId: string, logprobs: readonly TokenLogprob[]): void {
      open.get(itemId)?.addLogprobs?.(logprobs);
    },
    end(itemId: string, text: string, options: TextEnd): void {
      open.get(itemId)?.end(text, options);
      open.delete(itemId);
    },
    /** The model starts again: the partial texts remain as they are. */
    stand(): void {
      open.clear();
      for (const writer of held) outputOrder.withdraw(writer);
      held = [];
      for (const writer of unsettled) writer.stand();
      unsettled = [];
    },
    /** A limit stopped the model: its last text is truncated. */
    cutLast(): void {
      unsettled.at(-1)?.cut();
      unsettled = [];
    },
  };
}

interface TextWriter extends ItemWriter {
  append(delta: string): void;
  readonly addLogprobs: (logprobs: readonly TokenLogprob[]) => void;
  /** Streamed text cannot be changed: only text that continues it is sent. */
  end(text: string, options: TextEnd): void;
  /** The text ended because it was truncated. */
  cut(): void;
  /** No more text will follow; the partial text remains. */
  stand(): void;
}

interface HeldWriter extends TextWriter {
  release(): void;
}

/** Returns a writer that stays silent until it is released. */
function holdBack(writer: TextWriter): HeldWriter {
  let isHeld = true;
  return {
    ...writer,
    phase: () => (isHeld ? "silent" : writer.phase()),
    release() {
      isHeld = false;
    },
  };
}

/** A message or a reasoning item with one part of text. */
function createTextWriter(form: TextItemFormat): TextWriter {
  const text = createTextBuffer();
  let annotations: readonly JsonObject[] = [];
  const logprobs: JsonObject[] = [];
  let sentLogprobs = 0;
  let phase: Phase = "silent";
  const sendDelta = (delta: string): void => {
    if (!writer.isOpen()) return;
    send(form.delta(delta, logprobs.slice(sentLogprobs)));
    sentLogprobs = logprobs.length;
  };
  const { writer, send } = createItemWriter({
    kind: "text",
    prefix: form.prefix,
    phase: () => phase,
    item: (id, status, isAdded) =>
      form.item(id, status, isAdded ? [] : [form.part(text.whole(), { annotations, logprobs })]),
    opened() {
      send({ type: "response.content_part.added", content_index: 0, part: form.part("", empty) });
      if (!text.isEmpty()) sendDelta(text.whole());
    },
    closing() {
      const whole = text.whole();
      for (const [annotation_index, annotation] of annotations.entries())
        send({
          type: "response.output_text.annotation.added",
          content_index: 0,
          annotation_index,
          annotation,
        });
      send(form.done(whole, logprobs));
      const part = form.part(whole, { annotations, logprobs });
      send({ type: "response.content_part.done", content_index: 0, part });
    },
  });
  const sendText = (delta: string): void => {
    if (delta === "") return;
    if (phase === "silent") phase = "open";
    sendDelta(delta);
  };

  return {
    ...writer,
    addLogprobs: (added) => void logprobs.push(...added.map(wireLogprob)),
    append(delta) {
      text.append(delta);
      sendText(delta);
    },
    end(whole, { incomplete, annotations: cited = [] }) {
      sendText(text.complete(whole) ?? "");
      annotations = cited.map(wireAnnotation);
      phase = incomplete ? "cut" : "ended";
    },
    cut() {
      phase = "cut";
    },
    stand() {
      phase = "ended";
    },
  };
}

/** The wire format of a message or of reasoning. Both stream in the same way, and have one part. */
interface TextItemFormat {
  readonly prefix: string;
  item(id: string, status: ItemStatus, parts: readonly TextPart[]): OutputItem;
  part(text: string, more: TextDetails): TextPart;
  delta(delta: string, logprobs: readonly JsonObject[]): ItemEvent;
  done(text: string, logprobs: readonly JsonObject[]): ItemEvent;
}

/** The sources and the tokens of a text, in the form of the API. */
interface TextDetails {
  readonly annotations: readonly JsonObject[];
  readonly logprobs: readonly JsonObject[];
}

const empty: TextDetails = { annotations: [], logprobs: [] };

type TextPart = OutputText | RefusalPart | ReasoningText;

const messageItem: TextItemFormat["item"] = (id, status, content) => ({
  id,
  type: "message",
  status,
  role: "assistant",
  content: content as readonly (OutputText | RefusalPart)[],
});

const messageFormat: TextItemFormat = {
  prefix: "msg",
  item: messageItem,
  part: outputText,
  delta: (delta, logprobs) => ({
    type: "response.output_text.delta",
    content_index: 0,
    delta,
    logprobs,
  }),
  done: (text, logprobs) => ({
    type: "response.output_text.done",
    content_index: 0,
    text,
    logprobs: [...logprobs],
  }),
};

const refusalFormat: TextItemFormat = {
  prefix: "msg",
  item: messageItem,
  part: refusalPart,
  delta: (delta) => ({ type: "response.refusal.delta", content_index: 0, delta }),
  done: (refusal) => ({ type: "response.refusal.done", content_index: 0, refusal }),
};

const reasoningFormat: TextItemFormat = {
  prefix: "rs",
  item: (id, status, parts) => ({
    id,
    type: "reasoning",
    status,
    summary: [],
    content: parts as readonly ReasoningText[],
  }),
  part: reasoningText,
  delta: (delta) => ({ type: "response.reasoning_text.delta", content_index: 0, delta }),
  done: (text) => ({ type: "response.reasoning_text.done", content_index: 0, text }),
};

const formats = { text: messageFormat, refusal: refusalFormat, reasoning: reasoningFormat };

function refusalPart(refusal: string): RefusalPart {
  return { type: "refusal", refusal };
}

function outputText(text: string, { annotations, logprobs }: TextDetails): OutputText {
  return { type: "output_text", annotations, logprobs: [...logprobs], text };
}

function reasoningText(text: string): ReasoningText {
  return { type: "reasoning_text", text };
}

/** The length of a piece, in UTF-16 units. */
const pieceLength = 4_096;

/**
 * Buffers a text from its deltas, in interned pieces. All readers of a run cut its text at the same offsets, so that
 * it is in memory once.
 */
export function createTextBuffer(intern = internText) {
  let pieces: InternedText[] = [];
  /** The end of the text, shorter than a piece. */
  let rest = "";
  let length = 0;
  /** The whole text, if it has not grown since it was joined. */
  let joined: InternedText | undefined;

  function startsIn(whole: string): boolean {
    let at = 0;
    for (const { text } of pieces) {
      if (!whole.startsWith(text, at)) return false;
      at += text.length;
    }
    return whole.startsWith(rest, at);
  }

  return {
    append(delta: string): void {
      joined = undefined;
      length += delta.length;
      rest += delta;
      if (rest.length < pieceLength) return;
      const whole = rest.length - (rest.length % pieceLength);
      for (let at = 0; at < whole; at += pieceLength)
        pieces.push(intern(rest.slice(at, at + pieceLength)));
      rest = detached(rest.slice(whole));
    },
    isEmpty: () => length === 0,
    /**
     * Replaces the buffer with the whole text. Returns the added end, or `undefined` if the text
     * begins differently.
     */
    complete(whole: string): string | undefined {
      if (!startsIn(whole)) return undefined;
      const added = whole.slice(length);
      length = whole.length;
      joined = undefined;
      pieces = whole.length < pieceLength ? [] : [intern(whole)];
      rest = pieces.length === 0 ? whole : "";
      return added;
    },
    whole(): string {
      const [first] = pieces;
      if (first === undefined) return rest;
      if (pieces.length === 1 && rest === "") return first.text;
      joined ??= intern(pieces.map(({ text }) => text).join("") + rest);
      return joined.text;
    },
  };
}

/** A text that stays interned while this object is referenced. */
export interface InternedText {
  readonly text: string;
}

/** Below this length, in UTF-16 units, a copy costs less than the lookup. */
const minLength = 1_024;

const held = new Map<string, WeakRef<InternedText>>();
const released = new FinalizationRegistry<string>((text) => {
  if (held.get(text)?.deref() === undefined) held.delete(text);
});

/** Returns the one copy of the text that all its readers share. */
export function internText(text: string): InternedText {
  if (text.length < minLength) return { text };
  const known = held.get(text)?.deref();
  if (known !== undefined) return known;
  const shared = { text: detached(text) };
  held.set(shared.text, new WeakRef(shared));
  released.register(shared, shared.text);
  return shared;
}
