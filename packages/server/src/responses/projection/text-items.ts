import type { Floor } from "./floor.ts";
import type { FunctionCallUnit } from "./function-call-unit.ts";
import { messageForm, reasoningForm } from "./text-form.ts";
import { createTextUnit, type TextUnit } from "./text-unit.ts";

/** The streamed items of a run by their ids: who takes their deltas, and how they end. */
export interface TextItems {
  start(itemId: string, kind: "text" | "reasoning"): void;
  /** A final call's words, which are a message: its place is the one at which the call started. */
  startAnswer(itemId: string): void;
  /** Arguments of a client's call. `written` is called with the whole text where no unit takes it. */
  startArguments(
    itemId: string,
    unit: FunctionCallUnit | undefined,
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

export function createTextItems(floor: Floor): TextItems {
  const open = new Map<string, Sink>();
  /** Texts that may still turn out to be cut; the floor decides when they no longer can. */
  let unsettled: TextUnit[] = [];

  /** Enters the floor with its first character: an empty text is no item. */
  const textSink = (unit: TextUnit): Sink => {
    let hasEntered = false;
    const enter = (text: string): void => {
      if (hasEntered || text === "") return;
      hasEntered = true;
      unsettled.push(unit);
      floor.enter(unit);
    };
    return {
      append(delta) {
        unit.append(delta);
        enter(delta);
      },
      end(text, options) {
        unit.end(text, options);
        enter(text);
      },
    };
  };

  /** Has its place from the start, and gives it up where it said nothing. */
  const answerSink = (unit: TextUnit): Sink => {
    floor.enter(unit);
    return {
      append: (delta) => unit.append(delta),
      end(text, options) {
        unit.end(text, options);
        if (text === "") floor.withdraw(unit);
      },
    };
  };

  return {
    startAnswer(itemId) {
      open.set(itemId, answerSink(createTextUnit(messageForm)));
    },
    start(itemId, kind) {
      unsettled = unsettled.filter((unit) => unit.phase() !== "ended");
      open.set(itemId, textSink(createTextUnit(kind === "text" ? messageForm : reasoningForm)));
    },
    startArguments(itemId, unit, written) {
      const end: Sink["end"] = (text, { incomplete }) => {
        if (!incomplete) written(text);
      };
      open.set(itemId, unit ?? { append: () => {}, end });
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
      for (const unit of unsettled) unit.stand();
      unsettled = [];
    },
    cutLast() {
      unsettled.at(-1)?.cut();
      unsettled = [];
    },
  };
}
