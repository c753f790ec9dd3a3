import { sizeOf, plainData } from "../../json/short-json.ts";
import { reviewReason } from "../../policy/decide.ts";
import type { Progress, ToolOutput } from "../../tool/tool-context.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallHost } from "../gate/call-host.ts";
import type { ToolOutcome } from "../record/call-outcome.ts";
import type { Gate } from "../gate/gate.ts";
import type { CallRecord } from "../record/call-record.ts";
import { HostedStages, type StageEvent } from "./hosted-stages.ts";

/** The options of `CallOutput`. */
export interface CallOutputOptions {
  readonly gate: Gate;
  readonly host: CallHost;
  /** False ignores the tool's own request for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
}

/** The tool of a call's output. */
export interface OutputTool {
  readonly registered: RegisteredTool;
  /** The type of its entry in the request, for example `web_search`. */
  readonly type: string | undefined;
}

/** After a progress report, further progress within this many ms is not reported. */
const progressEveryMs = 100;
const maxEvents = 1_000;
const nameChars = 128;
const messageChars = 1_000;
const cutNotice = "\n[… the rest is in the result …]";
/** The characters of a stopped tool's output that the model gets. */
const tailChars = 4_000;
const finalCutNotice = "\n[… truncated: the answer exceeds the limit …]";
/**
 * The name of the event that reports how many events were omitted, because they were too many or
 * too large.
 */
const omitted = "capstan.events_omitted";

/**
 * The output of a running call. It is bounded: text by the gate's limit, progress by time, events by
 * number and size.
 */
export class CallOutput {
  /** The output port of the tool's context. */
  readonly output: ToolOutput = {
    write: (text) => this.#write(text),
    progress: (progress) => this.#progress(progress),
    event: (name, data) => this.#event(name, data),
  };
  readonly #options: CallOutputOptions;
  readonly #record: CallRecord;
  readonly #registered: RegisteredTool;
  #texts: string[] | undefined;
  #tail = "";
  #isOpen = true;
  #visible: boolean | undefined;
  #written = 0;
  #cut = false;
  #events = 0;
  #eventChars = 0;
  #isFull = false;
  readonly #stages: HostedStages;
  #lastProgress = -progressEveryMs;

  constructor(options: CallOutputOptions, record: CallRecord, tool: OutputTool) {
    this.#options = options;
    this.#record = record;
    this.#registered = tool.registered;
    this.#stages = new HostedStages(tool.type);
  }

  /**
   * Closes the output: later writes are ignored. Returns the text that a final tool wrote, or
   * undefined if there is none.
   */
  close({ succeeded }: { readonly succeeded: boolean }): string | undefined {
    if (succeeded) this.#report(this.#stages.end());
    this.#isOpen = false;
    return this.#texts?.join("");
  }

  /** Adds the end of the output to the outcome of a tool that was stopped. */
  withOutput(outcome: ToolOutcome): ToolOutcome {
    const isStopped = outcome.status === "timed_out" || outcome.status === "cancelled";
    const isHidden = this.#registered.tool.output === "hidden";
    if (!isStopped || isHidden || this.#tail === "") return outcome;
    return { ...outcome, output: this.#tail.slice(-tailChars).toWellFormed() };
  }

  /** Tools without type checks may pass any value. */
  #write(given: unknown): void {
    if (!this.#isOpen) return;
    this.#keepTail(given);
    if (this.#cut) return;
    const { gate } = this.#options;
    const isFinal = this.#isFinal;
    const text = String(given);
    if (text === "") return;
    const limit = isFinal ? gate.limits.outputCeilingChars : gate.limits.writtenChars;
    const notice = isFinal ? finalCutNotice : cutNotice;
    const left = Math.max(0, limit - notice.length) - this.#written;
    this.#cut = text.length > left;
    this.#written += text.length;
    this.#emit(this.#cut ? text.slice(0, left).toWellFormed() + notice : text);
  }

  /** Cuts the tail only at twice its length, because a cut for each piece would be expensive. */
  #keepTail(given: unknown): void {
    this.#tail += String(given);
    if (this.#tail.length > 2 * tailChars) this.#tail = this.#tail.slice(-tailChars);
  }

  #emit(text: string): void {
    if (this.#isFinal) (this.#texts ??= []).push(text);
    if (this.#isVisible) this.#options.host.onOutput(this.#record.callId, { type: "text", text });
  }

  #progress(progress: unknown): void {
    const { gate, host } = this.#options;
    const now = gate.clock.monotonic();
    if (!this.#isOpen || !this.#isVisible || now - this.#lastProgress < progressEveryMs) return;
    this.#lastProgress = now;
    const shown = progressOf(plainData(progress));
    host.onOutput(this.#record.callId, { type: "progress", progress: shown });
  }

  #event(name: unknown, data: unknown): void {
    if (!this.#isOpen || !this.#isVisible || this.#isFull) return;
    const { host, gate } = this.#options;
    const { callId } = this.#record;
    const plain = plainData(data);
    this.#eventChars += sizeOf(plain);
    this.#isFull = this.#eventChars > gate.limits.eventChars || ++this.#events > maxEvents;
    if (!this.#isFull)
      return this.#report(
        this.#stages.take({ name: String(name).slice(0, nameChars), data: plain }),
      );
    const after = Math.min(this.#events, maxEvents);
    host.onOutput(callId, { type: "event", name: omitted, data: { after } });
  }

  #report(events: readonly StageEvent[]): void {
    if (events.length === 0 || !this.#isOpen || !this.#isVisible) return;
    const { callId } = this.#record;
    for (const event of events) this.#options.host.onOutput(callId, { type: "event", ...event });
  }

  get #isFinal(): boolean {
    return this.#registered.tool.final === true;
  }

  /** Whether the host may see the output. Decided at the first output. */
  get #isVisible(): boolean {
    return (this.#visible ??= !this.#isHidden());
  }

  /**
   * Whether the output stays hidden: the output of a hidden tool, or of a tool whose result is
   * reviewed first.
   */
  #isHidden(): boolean {
    const { gate, checkToolResults = true } = this.#options;
    const registered = this.#registered;
    if (registered.tool.output === "hidden") return true;
    const { rules } = gate;
    const overrides = gate.overrides();
    const { args = {} } = this.#record;
    const policy = { registered, args, isError: false, rules, overrides, checkToolResults };
    return reviewReason(policy) !== undefined;
  }
}

/** Returns progress for the display from any value that a tool passed. */
function progressOf(given: unknown): Progress {
  if (typeof given !== "object" || given === null) return {};
  const { message, done, total } = given as { readonly [field in keyof Progress]: unknown };
  return {
    ...(typeof message === "string" && { message: message.slice(0, messageChars) }),
    ...(typeof done === "number" && { done }),
    ...(typeof total === "number" && { total }),
  };
}
