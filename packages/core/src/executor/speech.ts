import { plainData } from "../output/plain-data.ts";
import type { Progress, ToolOutput } from "../tool/tool-context.ts";
import type { CallObserver } from "./call-observer.ts";
import type { Gate } from "./gate.ts";

/** What a call says while it runs. */
export interface Speech {
  /** What its tool is given. */
  readonly output: ToolOutput;
  /** It is over: nothing is heard from here on. */
  close(): void;
}

/** For who must not be heard. */
export const silence: Speech = {
  output: { write() {}, progress() {}, event() {} },
  close() {},
};

/** Progress within this many ms of the last is not passed on. */
const progressEveryMs = 100;
const eventsACall = 1_000;
const cutNotice = "\n[… the rest is in the result …]";

/** What a tool says is bounded: text by the gate's limit, progress by time, events by number. */
export function speechOf(gate: Gate, callId: string, observer: CallObserver): Speech {
  const { spokenChars } = gate.limits;
  let open = true;
  let left = Math.max(0, spokenChars - cutNotice.length);
  let cut = false;
  let events = 0;
  let lastProgress = -progressEveryMs;
  return {
    output: {
      write(text) {
        if (!open || cut || text === "") return;
        if (text.length <= left) {
          left -= text.length;
          return observer.spoke(callId, text);
        }
        cut = true;
        observer.spoke(callId, text.slice(0, left).toWellFormed() + cutNotice);
      },
      progress(progress) {
        const now = gate.clock.now();
        if (!open || now - lastProgress < progressEveryMs) return;
        lastProgress = now;
        observer.progressed(callId, plainData(progress) as Progress);
      },
      event(name, data) {
        if (open && ++events <= eventsACall) observer.said(callId, name, plainData(data));
      },
    },
    close() {
      open = false;
    },
  };
}
