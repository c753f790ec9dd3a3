import type { OutputOrder } from "./output-order.ts";
import type { FunctionCallWriter } from "./function-call-writer.ts";
import { messageFormat, reasoningFormat } from "./text-item-format.ts";
import { createTextWriter, type TextWriter } from "./text-writer.ts";

/** The streamed items of a run by their ids: who takes their deltas, and how they end. */
export interface TextItems {
  start(itemId: string, kind: "text" | "reasoning"): void;
  /** A final call's words, which are a message: its position is the one at which the call started. */
  startAnswer(itemId: string): void;
  /** Arguments of a client's call. `written` is called with the whole text where no writer takes it. */
  startArguments(
    itemId: string,
    writer: FunctionCallWriter | undefined,
    written: (whole: string) => void,
  ): void;
  append(itemId: string, delta: string): void;
  end(itemId: string, text: string, options: { readonly incomplete: boolean }): void;
  /** The model starts again: what was said so far stands as it is. */
  stand(): void;
  /** The model was stopped by a limit: its last text is cut off. */
  cutLast(): void;
}

interface Sink {
  append(delta: string): void;
  end(text: string, options: { readonly incomplete: boolean }): void;
}

export function createTextItems(outputOrder: OutputOrder): TextItems {
  const open = new Map<string, Sink>();
  /** Texts that may still turn out to be cut; the output order decides when they no longer can. */
  let unsettled: TextWriter[] = [];

  /** Enters the output order at its first character: an empty text is no item. */
  const textSink = (writer: TextWriter): Sink => {
    let hasEntered = false;
    const enter = (text: string): void => {
      if (hasEntered || text === "") return;
      hasEntered = true;
      unsettled.push(writer);
      outputOrder.enter(writer);
    };
    return {
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

  /** Enters the output order at the start, and leaves it if it wrote nothing. */
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
    startAnswer(itemId) {
      open.set(itemId, answerSink(createTextWriter(messageFormat)));
    },
    start(itemId, kind) {
      unsettled = unsettled.filter((writer) => writer.phase() !== "ended");
      open.set(
        itemId,
        textSink(createTextWriter(kind === "text" ? messageFormat : reasoningFormat)),
      );
    },
    startArguments(itemId, writer, written) {
      const end: Sink["end"] = (text, { incomplete }) => {
        if (!incomplete) written(text);
      };
      open.set(itemId, writer ?? { append: () => {}, end });
    },
    append(itemId, delta) {
      open.get(itemId)?.append(delta);
    },
    end(itemId, text, options) {
      open.get(itemId)?.end(text, options);
      open.delete(itemId);
    },
    stand() {
      open.clear();
      for (const writer of unsettled) writer.stand();
      unsettled = [];
    },
    cutLast() {
      unsettled.at(-1)?.cut();
      unsettled = [];
    },
  };
}
