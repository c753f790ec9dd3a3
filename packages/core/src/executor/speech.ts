import { sizeOf } from "../output/event-size.ts";
import { plainData } from "../output/plain-data.ts";
import type { Progress, ToolOutput } from "../tool/tool-context.ts";
import type { CallObserver } from "./call-observer.ts";
import type { Gate } from "./gate.ts";

/** What a call says while it runs. */
export interface Speech {
  /** What its tool is given. */
  readonly output: ToolOutput;
  /** It is over: nothing is heard from here on. Gives what a final tool wrote, where it wrote. */
  close(): string | undefined;
}

export interface SpeechOptions {
  readonly gate: Gate;
  readonly callId: string;
  readonly observer: CallObserver;
  /** What it writes is its result. */
  readonly isFinal: boolean;
  /** Whether anybody may hear it. */
  readonly isHeard: boolean;
}

/** Progress within this many ms of the last is not passed on. */
const progressEveryMs = 100;
const eventsACall = 1_000;
const nameChars = 128;
const messageChars = 1_000;
const cutNotice = "\n[… the rest is in the result …]";
const finalCutNotice = "\n[… it said more than an answer holds …]";
/** The name of the one event that says that others were too many, or too large. */
const omitted = "capstan.events_omitted";

/** What a tool says is bounded: text by the gate's limit, progress by time, events by number and size. */
export function speechOf(options: SpeechOptions): Speech {
  const { gate, callId, observer, isFinal, isHeard } = options;
  const notice = isFinal ? finalCutNotice : cutNotice;
  const limit = isFinal ? gate.limits.outputCeilingChars : gate.limits.spokenChars;
  const words: string[] = [];
  let open = true;
  let left = Math.max(0, limit - notice.length);
  let cut = false;
  let events = 0;
  let eventChars = gate.limits.eventChars;
  let lastProgress = -progressEveryMs;

  const say = (text: string): void => {
    if (isFinal) words.push(text);
    if (isHeard) observer.spoke(callId, text);
  };
  const keepsOut = (size: number): boolean => {
    eventChars -= size;
    return eventChars < 0 || ++events > eventsACall;
  };
  let keptOut = false;

  return {
    output: {
      // Tools without types give what they like.
      write(given: unknown) {
        if (!open || cut) return;
        const text = String(given);
        if (text === "") return;
        if (text.length <= left) {
          left -= text.length;
          return say(text);
        }
        cut = true;
        say(text.slice(0, left).toWellFormed() + notice);
      },
      progress(progress) {
        const now = gate.clock.now();
        if (!open || !isHeard || now - lastProgress < progressEveryMs) return;
        lastProgress = now;
        observer.progressed(callId, progressOf(plainData(progress)));
      },
      event(name: unknown, data: unknown) {
        if (!open || !isHeard || keptOut) return;
        const plain = plainData(data);
        keptOut = keepsOut(sizeOf(plain));
        if (!keptOut) observer.said(callId, String(name).slice(0, nameChars), plain);
        else observer.said(callId, omitted, { after: Math.min(events, eventsACall) });
      },
    },
    close() {
      open = false;
      return words.length === 0 ? undefined : words.join("");
    },
  };
}

/** Progress as it is shown, of whatever a tool gave. */
function progressOf(given: unknown): Progress {
  if (typeof given !== "object" || given === null) return {};
  const { message, done, total } = given as { readonly [field in keyof Progress]: unknown };
  return {
    ...(typeof message === "string" && { message: message.slice(0, messageChars) }),
    ...(typeof done === "number" && { done }),
    ...(typeof total === "number" && { total }),
  };
}
