import type {
  ChainError,
  ContentPart,
  JsonObject,
  PlacedAnnotation,
  TokenLogprob,
  Usage,
} from "@capstan/core";
import { addUsage, customInput, type FinishReason, shiftAnnotations } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { completionAnnotation } from "../http/tools/wire-annotations.ts";
import { answerLinks } from "./answer-links.ts";

/** Why a choice ended: the API's `finish_reason`. */
export type CompletionFinish = "stop" | "length" | "tool_calls" | "content_filter";

/** A step of an answer, from which both the chunks of a stream and the whole answer are made. */
export type CompletionPiece =
  | {
      readonly type: "content" | "reasoning" | "refusal";
      readonly text: string;
      /** The tokens of the content. */
      readonly logprobs?: readonly TokenLogprob[];
    }
  | {
      readonly type: "call";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly isCustom: boolean;
    }
  | {
      readonly type: "arguments";
      readonly index: number;
      readonly isCustom: boolean;
      readonly text: string;
    }
  | { readonly type: "files"; readonly files: readonly ShownFile[] }
  /** The sources that the content before it cites. */
  | { readonly type: "annotations"; readonly annotations: readonly JsonObject[] }
  | { readonly type: "end"; readonly finish: CompletionFinish; readonly usage: Usage }
  | { readonly type: "error"; readonly error: ChainError };

/** An image or a file that a tool returned: its link, or its bytes if they are not stored. */
export interface ShownFile {
  readonly type: "image" | "file";
  readonly name: string;
  readonly url: string;
}

interface Call {
  readonly index: number;
  readonly isCustom: boolean;
  /** The arguments that were sent so far. */
  sent: string;
}

/**
 * Creates a fold of one run's events. It shows the model's texts, the texts of final calls, and the
 * client's calls. Of calls that the server runs, only images and files are shown. A pending
 * approval is announced as reasoning, because the answer waits for it.
 *
 * @param customTools names of the client's tools that take plain text
 * @example
 * const push = createCompletionFold({ customTools: [] });
 * for await (const event of stream) for (const piece of push(event)) show(piece);
 */
export function createCompletionFold({
  customTools,
  holdsAnswers = false,
  takesLinks = false,
  linkOf,
}: {
  readonly customTools: readonly string[];
  /**
   * Whether an answer is sent only after its round has ended, because the server may reject it: it
   * must match a strict schema.
   * @default false
   */
  readonly holdsAnswers?: boolean;
  /** Whether links to stored files follow the answer. @default false */
  readonly takesLinks?: boolean | undefined;
  /** Returns the link to a stored file. @default stored files are not shown */
  readonly linkOf?: ((fileId: string) => string) | undefined;
}): (event: RunEvent) => readonly CompletionPiece[] {
  const texts = createTextOrder(linkOf);
  const calls = new Map<string, Call>();
  const names = new Map<string, { readonly name: string; readonly argumentsText: string }>();
  const argumentItems = new Map<string, { readonly callId: string; text: string }>();
  let usage: Usage | undefined;
  let finishReason: FinishReason | undefined;
  let hasEnded = false;
  /** Whether the model's current step has announced a call. */
  let hasAnnounced = false;

  const announce = (callId: string, name: string): readonly CompletionPiece[] => {
    if (calls.has(callId)) return [];
    const isCustom = customTools.includes(name);
    const call: Call = { index: calls.size, isCustom, sent: "" };
    calls.set(callId, call);
    hasAnnounced = true;
    return [{ type: "call", index: call.index, id: callId, name, isCustom }];
  };
  const send = (callId: string, whole: string): readonly CompletionPiece[] => {
    const call = calls.get(callId);
    if (call === undefined || !whole.startsWith(call.sent) || whole.length === call.sent.length)
      return [];
    const text = whole.slice(call.sent.length);
    call.sent = whole;
    return [{ type: "arguments", index: call.index, isCustom: call.isCustom, text }];
  };
  const sendWhole = (callId: string): readonly CompletionPiece[] => {
    const known = names.get(callId);
    if (known === undefined) return [];
    const { name, argumentsText } = known;
    const announced = announce(callId, name);
    // Clients parse the arguments as JSON, so an empty text becomes an empty object.
    const json = argumentsText.trim() === "" ? "{}" : argumentsText;
    return [...announced, ...send(callId, customTools.includes(name) ? customInput(json) : json)];
  };
  /** Sub-calls and hidden calls, whose files are not shown. */
  const unshown = new Set<string>();
  const hidden = new Set<string>();
  let links: readonly ShownFile[] = [];
  /** Shows the images of a result at once; links to its files follow the answer. */
  const showFiles = (parts: readonly ContentPart[]): readonly CompletionPiece[] => {
    const shown = parts.flatMap((part) => shownFile(part, linkOf));
    const isLink = ({ type, url }: ShownFile) => type === "file" && !url.startsWith("data:");
    links = [...links, ...shown.filter(isLink)];
    const files = shown.filter((file) => !isLink(file));
    return files.length === 0 ? [] : [{ type: "files", files }];
  };
  const finish = (usual: CompletionFinish): CompletionFinish =>
    finishReason === "length" || finishReason === "content_filter" ? finishReason : usual;
  const end = (reason: CompletionFinish): readonly CompletionPiece[] => {
    hasEnded = true;
    return [
      ...texts.flush(),
      ...(takesLinks && reason === "stop" && links.length > 0
        ? texts.addAll(answerLinks(links))
        : []),
      { type: "end", finish: reason, usage: usage ?? { inputTokens: 0, outputTokens: 0 } },
    ];
  };
  const fail = (error: ChainError): readonly CompletionPiece[] => {
    hasEnded = true;
    return [...texts.flush(), { type: "error", error }];
  };

  return (event) => {
    if (hasEnded) return [];
    switch (event.type) {
      case "item.start":
        if (event.kind === "text" || event.kind === "reasoning")
          return texts.start(event.itemId, textType(event), {
            isHeld: holdsAnswers && textType(event) === "content" && !isOfCall(event),
          });
        if (event.kind !== "arguments" || event.owner !== "client") return [];
        argumentItems.set(event.itemId, { callId: event.callId, text: "" });
        // The input of a custom tool is inside the arguments, so it is sent when they are complete.
        return customTools.includes(event.name) ? [] : announce(event.callId, event.name);
      case "item.delta": {
        const item = argumentItems.get(event.itemId);
        if (item === undefined) return texts.append(event.itemId, event.delta);
        item.text += event.delta;
        return calls.get(item.callId)?.isCustom === false ? send(item.callId, item.text) : [];
      }
      case "item.logprobs":
        texts.addLogprobs(event.itemId, event.logprobs);
        return [];
      case "item.end": {
        const item = argumentItems.get(event.itemId);
        if (item === undefined) return texts.end(event.itemId, event.text, event.annotations);
        argumentItems.delete(event.itemId);
        const text = event.incomplete !== true && event.text.trim() === "" ? "{}" : event.text;
        return calls.get(item.callId)?.isCustom === false ? send(item.callId, text) : [];
      }
      case "model.restarted":
        argumentItems.clear();
        if (!hasAnnounced) return texts.restart();
        return fail({
          code: "interrupted",
          phase: "model",
          message: `The model was started again (${event.reason}) after a tool call of its first attempt was sent. Do not run that call; send the request again.`,
        });
      case "round.ended":
        finishReason = event.finishReason;
        usage = usage === undefined ? event.usage : addUsage(usage, event.usage);
        hasAnnounced = false;
        return texts.release();
      case "call.settled":
        return unshown.has(event.callId) ? [] : showFiles(event.result.parts ?? []);
      case "call.proposed":
        if (event.hidden === true) hidden.add(event.callId);
        if (event.parentCallId !== undefined || event.hidden === true) unshown.add(event.callId);
        if (event.owner === "client")
          names.set(event.callId, { name: event.name, argumentsText: event.argumentsText });
        return [];
      case "approval.requested":
        if (hidden.has(event.callId)) return [];
        return texts.note(
          `Waiting for approval: ${event.approval.toolName}. Answer it on the page or in a terminal of the server.\n`,
        );
      case "client_call.waiting":
        return sendWhole(event.callId);
      case "chain.waiting": {
        const sent = event.callIds.flatMap(sendWhole);
        return event.callIds.every((id) => names.has(id))
          ? [...sent, ...end(finish("tool_calls"))]
          : sent;
      }
      case "chain.ended":
        if (event.status === "aborted")
          return fail({ code: "aborted", phase: "chain", message: "The run was stopped." });
        if (event.status === "error" || event.status === "timeout") {
          const message = "The answer could not be finished.";
          return fail(event.error ?? { code: "internal", message, phase: "chain" });
        }
        return end(finish("stop"));
      default:
        return [];
    }
  };
}

function shownFile(
  part: ContentPart,
  linkOf: ((fileId: string) => string) | undefined,
): readonly ShownFile[] {
  if (part.type !== "image" && part.type !== "file") return [];
  const { type, source, fileId, mimeType } = part;
  const name = part.type === "file" ? part.name : "image";
  const isPlain = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType);
  const data = isPlain ? mimeType : "application/octet-stream";
  if (source.type === "base64") return [{ type, name, url: `data:${data};base64,${source.data}` }];
  if (source.type === "url") {
    const url = URL.parse(source.url);
    return url !== null && /^https?:$/.test(url.protocol) ? [{ type, name, url: url.href }] : [];
  }
  return fileId === undefined || linkOf === undefined ? [] : [{ type, name, url: linkOf(fileId) }];
}

type TextStart = Extract<RunEvent, { type: "item.start"; kind: "text" | "reasoning" }>;

function textType(event: TextStart): TextPiece["type"] {
  if (event.kind === "reasoning") return "reasoning";
  return event.refusal === true ? "refusal" : "content";
}

/** Whether a text is the output of a final call, and not the model's. */
function isOfCall(event: TextStart): boolean {
  return event.kind === "text" && event.callId !== undefined;
}

type TextPiece = Extract<
  CompletionPiece,
  { readonly text: string; readonly type: "content" | "reasoning" | "refusal" }
>;

interface TextItem {
  readonly type: TextPiece["type"];
  text: string;
  sent: number;
  hasEnded: boolean;
  isHeld: boolean;
  annotations: readonly PlacedAnnotation[];
  /** The tokens of the text that was not sent yet. */
  logprobs: readonly TokenLogprob[];
}

type OrderedPiece = TextPiece | Extract<CompletionPiece, { readonly type: "annotations" }>;

function wholeText(type: TextPiece["type"], text: string): TextItem {
  return { type, text, sent: 0, hasEnded: true, isHeld: false, annotations: [], logprobs: [] };
}

function takeLogprobs(item: TextItem): Pick<TextPiece, "logprobs"> {
  const { logprobs } = item;
  item.logprobs = [];
  return logprobs.length === 0 ? {} : { logprobs };
}

/**
 * Sends concurrently written texts in sequence. A blank line separates two texts of the same kind.
 */
function createTextOrder(linkOf: ((fileId: string) => string) | undefined) {
  let queue: TextItem[] = [];
  const byId = new Map<string, TextItem>();
  /** The characters that were sent, by kind. */
  const written = { content: 0, reasoning: 0, refusal: 0 };

  /** Returns the sources of a text that was sent as the end of the content. */
  const sourcesOf = ({ text, annotations }: TextItem): readonly OrderedPiece[] => {
    if (annotations.length === 0) return [];
    const placed = shiftAnnotations(annotations, written.content - text.length);
    const shown = placed
      .map((annotation) => completionAnnotation(annotation, linkOf))
      .filter((annotation) => annotation !== undefined);
    return shown.length === 0 ? [] : [{ type: "annotations", annotations: shown }];
  };

  const advance = (): readonly OrderedPiece[] => {
    const pieces: OrderedPiece[] = [];
    for (let item = queue[0]; item !== undefined && !item.isHeld; item = queue[0]) {
      if (item.text.length > item.sent) {
        const separator = item.sent === 0 && written[item.type] > 0 ? "\n\n" : "";
        const text = separator + item.text.slice(item.sent);
        pieces.push({ type: item.type, text, ...takeLogprobs(item) });
        written[item.type] += text.length;
        item.sent = item.text.length;
      }
      if (!item.hasEnded) break;
      if (item.logprobs.length > 0)
        pieces.push({ type: item.type, text: "", ...takeLogprobs(item) });
      if (item.type === "content") pieces.push(...sourcesOf(item));
      queue = queue.slice(1);
    }
    return pieces;
  };

  /** Releases the buffered texts, and sends them in their order. */
  const release = (): readonly OrderedPiece[] => {
    for (const item of queue) item.isHeld = false;
    return advance();
  };

  return {
    start(
      id: string,
      type: TextPiece["type"],
      { isHeld }: { readonly isHeld: boolean },
    ): readonly OrderedPiece[] {
      const item: TextItem = { ...wholeText(type, ""), hasEnded: false, isHeld };
      byId.set(id, item);
      queue.push(item);
      return [];
    },
    append(id: string, delta: string): readonly OrderedPiece[] {
      const item = byId.get(id);
      if (item === undefined) return [];
      item.text += delta;
      return advance();
    },
    addLogprobs(id: string, logprobs: readonly TokenLogprob[]): void {
      const item = byId.get(id);
      if (item !== undefined) item.logprobs = [...item.logprobs, ...logprobs];
    },
    /** Sent text cannot be changed: only text that continues it is added. */
    end(
      id: string,
      text: string,
      annotations: readonly PlacedAnnotation[] = [],
    ): readonly OrderedPiece[] {
      const item = byId.get(id);
      if (item === undefined) return [];
      byId.delete(id);
      if (text.startsWith(item.text)) {
        item.text = text;
        item.annotations = annotations;
      }
      item.hasEnded = true;
      return advance();
    },
    /** Adds a whole text to the reasoning. */
    note(text: string): readonly OrderedPiece[] {
      queue.push(wholeText("reasoning", text));
      return advance();
    },
    /** Adds a whole text to the content. */
    addAll(text: string): readonly OrderedPiece[] {
      queue.push(wholeText("content", text));
      return advance();
    },
    release,
    /** The model starts again: sent text remains, and new text follows it. */
    restart(): readonly OrderedPiece[] {
      byId.clear();
      queue = queue.filter(({ isHeld }) => !isHeld);
      for (const item of queue) {
        item.text = item.text.slice(0, item.sent);
        item.annotations = [];
        item.logprobs = [];
        item.hasEnded = true;
      }
      return advance();
    },
    flush(): readonly OrderedPiece[] {
      for (const item of queue) item.hasEnded = true;
      return release();
    },
  };
}
