import type { CallRecord } from "../../call/record/call-record.ts";
import type { Clock } from "../../base/clock.ts";
import type { AssistantMessage, Message, ToolCallRequest } from "../../model/message.ts";
import type { FinishReason } from "../../model/model.ts";
import { type Usage, addUsage, noUsage } from "../../model/usage.ts";
import type { ChainState } from "../journal/chain-result.ts";
import type { JournalWrite } from "../journal/journal.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { ShownResults } from "./shown-results.ts";
import { toolMessage } from "../log/turn-messages.ts";

/** What was said in a turn, and what its rounds took. What it writes is not waited for: see `Recorder`. */
export class Turn {
  readonly #recorder: Recorder;
  readonly #messages: Message[];
  /** The messages with their calls' results, as the model takes them; complete up to the open round. */
  #sent: Message[] | undefined;
  readonly #shown: ShownResults;
  readonly #usageByRound = new Map<number, Usage>();
  #usage: Usage;
  #round: number;
  #finishedRounds: number;
  #finishReason: FinishReason | undefined;
  #cut: boolean;
  #hasHeard: boolean;

  constructor(recorder: Recorder, state: ChainState | undefined, shown: ShownResults) {
    this.#recorder = recorder;
    this.#shown = shown;
    this.#messages = [...(state?.messages ?? [])];
    this.#hasHeard = this.#messages.some(({ role }) => role === "user");
    this.#cut = state?.cut === true;
    this.#round = state?.round ?? 0;
    this.#finishedRounds = this.#round;
    this.#usage = state?.usage ?? noUsage;
    for (const { round, usage } of state?.usageByRound ?? []) this.#usageByRound.set(round, usage);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Rounds that were begun. */
  get round(): number {
    return this.#round;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Why the last model step ended. */
  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** Whether the user said something in it. */
  get hasHeard(): boolean {
    return this.#hasHeard;
  }

  /** What the report of the chain says of the turn. */
  facts() {
    return {
      messages: this.#messages,
      round: this.#round,
      finishedRounds: this.#finishedRounds,
      cut: this.#cut,
      usage: this.#usage,
      usageByRound: this.#usageByRound,
      finishReason: this.#finishReason,
    };
  }

  beginRound(clock: Clock): void {
    const round = ++this.#round;
    if (this.#recorder.isObserved)
      this.#recorder.appendEvent({ type: "round.started", round, at: clock.now() });
  }

  /** The model's answer came whole. */
  finishRound(
    step: {
      readonly message: AssistantMessage;
      readonly finishReason: FinishReason;
      readonly usage: Usage;
    },
    clock: Clock,
  ): void {
    const round = this.#round;
    const { message, finishReason, usage } = step;
    this.#finishedRounds = round;
    this.#finishReason = finishReason;
    this.#usage = addUsage(this.#usage, usage);
    this.#usageByRound.set(round, usage);
    const said = this.#said(message);
    if (!this.#recorder.isObserved) return;
    const event = { type: "round.ended", round, at: clock.now(), finishReason, usage } as const;
    this.#recorder.append([...said, { type: "event", event }]);
  }

  /** What had come of an answer that was cut off: it stays said, without the calls in it. */
  cutOff(message: AssistantMessage): void {
    if (message.content !== "") this.#recorder.append([this.take(message, true)]);
  }

  /** Takes back the words that were cut off, where the turn is taken up: they are said anew. */
  restart({ cut }: ChainState): void {
    if (cut !== true || this.#messages.at(-1)?.role !== "assistant") return;
    this.#messages.pop();
    this.#cut = false;
    const reason = "It was cut off, and begins again.";
    this.#recorder.appendEvent({ type: "model.restarted", reason });
  }

  say(message: AssistantMessage): void {
    this.#recorder.append(this.#said(message));
  }

  /** Takes in what was said, where something was. */
  #said(message: AssistantMessage): readonly JournalWrite[] {
    const { content, tool_calls, reasoning } = message;
    const isNothing = content === "" && tool_calls === undefined && reasoning === undefined;
    return isNothing ? [] : [this.take(message)];
  }

  /** Takes a message in; what it returns belongs into the next commit. */
  take(message: AssistantMessage, cut = false): JournalWrite {
    this.#messages.push(message);
    this.#sent?.push(message);
    this.#cut = cut;
    return { type: "message", round: this.#round, message };
  }

  /** What the user says in this turn. */
  hear(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    for (const message of messages) {
      this.#messages.push(message);
      this.#sent?.push(message);
      this.#hasHeard ||= message.role === "user";
    }
    const round = this.#round;
    this.#recorder.append(messages.map((message) => ({ type: "message", round, message })));
  }

  /** The turn as the model takes it. Grows with it: building it anew each round would cost more with every round. */
  asSent(calls: Map<string, CallRecord>): readonly Message[] {
    if (this.#sent !== undefined) return this.#sent;
    this.#sent = [];
    for (const message of this.#messages) {
      this.#sent.push(message);
      if (message.role === "assistant") this.answerCalls(message.tool_calls ?? [], calls);
    }
    return this.#sent;
  }

  /**
   * The calls of the last thing that was said have ended. Where the turn's results have become too
   * many, those of older calls are shortened, in their records too.
   */
  answerCalls(requests: readonly ToolCallRequest[], calls: Map<string, CallRecord>): void {
    const sent = this.#sent;
    if (sent === undefined) return;
    const ended: CallRecord[] = [];
    for (const { id, function: called } of requests) {
      const call = calls.get(id);
      if (call !== undefined) ended.push(call);
      sent.push(toolMessage(id, called.name, call));
    }
    const shortened = this.#shown.add(ended);
    if (shortened.length === 0) return;
    const byId = new Map(shortened.map((call) => [call.callId, call]));
    for (const [place, message] of sent.entries()) {
      if (message.role !== "tool") continue;
      const call = byId.get(message.tool_call_id);
      if (call === undefined) continue;
      calls.set(call.callId, call);
      sent[place] = toolMessage(call.callId, message.name, call);
    }
  }

  /** Whether the last thing that was said is an answer. */
  get isAnswered(): boolean {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" && !last.tool_calls?.length && last.content.trim() !== "";
  }

  /** The calls of the last thing that was said, where nothing but their answers came after it. */
  lastRequests(): readonly ToolCallRequest[] {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? (last.tool_calls ?? []) : [];
  }
}
