import { type Annotation, citedSource, resultSources } from "../../model/annotation.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { Clock } from "../../base/clock.ts";
import type { AssistantMessage, Message, ToolCallRequest } from "../../model/message.ts";
import type { FinishReason } from "../../model/model.ts";
import { type Usage, addUsage, noUsage } from "../../model/usage.ts";
import type { ChainState } from "../journal/chain-result.ts";
import type { JournalWrite } from "../journal/journal.ts";
import type { Recorder } from "../journal/recorder.ts";
import { toolMessage } from "../log/turn-log.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";

/**
 * The messages of a turn, and the usage of its rounds. Does not wait until its writes are
 * committed: see `Recorder`.
 */
export class Turn {
  readonly #recorder: Recorder;
  readonly #messages: Message[];
  /**
   * The messages and their calls' results in the form for the model, up to the last finished round.
   */
  #sent: Message[] | undefined;
  readonly #compaction: ResultCompaction;
  readonly #usageByRound = new Map<number, Usage>();
  #usage: Usage;
  #round: number;
  #finishedRounds: number;
  #finishReason: FinishReason | undefined;
  #cut: boolean;
  /** Whether the turn has a user message: only long user messages become variables. */
  hasUserInput: boolean;

  constructor(recorder: Recorder, state: ChainState | undefined, compaction: ResultCompaction) {
    this.#recorder = recorder;
    this.#compaction = compaction;
    this.#messages = [...(state?.messages ?? [])];
    this.hasUserInput = this.#messages.some(({ role }) => role === "user");
    this.#cut = state?.cut === true;
    this.#round = state?.round ?? 0;
    this.#finishedRounds = this.#round;
    this.#usage = state?.usage ?? noUsage;
    for (const { round, usage } of state?.usageByRound ?? []) this.#usageByRound.set(round, usage);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The number of rounds that began. */
  get round(): number {
    return this.#round;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get finishReason(): FinishReason | undefined {
    return this.#finishReason;
  }

  /** Returns the turn's part of the chain's report. */
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

  /** Adds the model's complete answer. */
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
    const writes = this.#messageWrites(message);
    if (!this.#recorder.isObserved) return;
    const event = { type: "round.ended", round, at: clock.now(), finishReason, usage } as const;
    this.#recorder.append([...writes, { type: "event", event }]);
  }

  /** Adds an answer that was cut off, without its calls. */
  addCutOff(message: AssistantMessage): void {
    if (message.content !== "") this.#recorder.append([this.append(message, true)]);
  }

  /** Removes an answer that was cut off when the turn resumes: the model answers again. */
  dropCutOff({ cut }: ChainState): void {
    if (cut !== true || this.#messages.at(-1)?.role !== "assistant") return;
    this.#messages.pop();
    this.#cut = false;
    const reason = "The answer was cut off.";
    this.#recorder.appendEvent({ type: "model.restarted", reason });
  }

  addMessage(message: AssistantMessage): void {
    this.#recorder.append(this.#messageWrites(message));
  }

  /** Appends a message unless it is empty. Returns its writes. */
  #messageWrites(message: AssistantMessage): readonly JournalWrite[] {
    const { content, tool_calls, reasoning } = message;
    const isNothing = content === "" && tool_calls === undefined && reasoning === undefined;
    return isNothing ? [] : [this.append(message)];
  }

  /** Appends a message. Returns its write, for the next commit. */
  append(message: AssistantMessage, cut = false): JournalWrite {
    this.#messages.push(message);
    this.#sent?.push(message);
    this.#cut = cut;
    return { type: "message", round: this.#round, message };
  }

  addInput(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    for (const message of messages) {
      this.#messages.push(message);
      this.#sent?.push(message);
      this.hasUserInput ||= message.role === "user";
    }
    const round = this.#round;
    this.#recorder.append(messages.map((message) => ({ type: "message", round, message })));
  }

  /**
   * Returns the messages of the turn for the next request. The list is extended in each round,
   * because rebuilding it would take longer with every round.
   */
  requestMessages(calls: Map<string, CallRecord>): readonly Message[] {
    if (this.#sent !== undefined) return this.#sent;
    this.#sent = [];
    for (const message of this.#messages) {
      this.#sent.push(message);
      if (message.role === "assistant") this.addResults(message.tool_calls ?? [], calls);
    }
    return this.#sent;
  }

  /**
   * Adds the results of the last requested calls. If the turn's results are too large, shortens
   * those of older calls, also in their records.
   */
  addResults(requests: readonly ToolCallRequest[], calls: Map<string, CallRecord>): void {
    const sent = this.#sent;
    if (sent === undefined) return;
    const ended: CallRecord[] = [];
    for (const { id, function: called } of requests) {
      const call = calls.get(id);
      if (call !== undefined) ended.push(call);
      sent.push(toolMessage(id, called.name, call));
    }
    const shortened = this.#compaction.add(ended);
    if (shortened.length === 0) return;
    const byId = new Map(shortened.map((call) => [call.callId, call]));
    for (const [index, message] of sent.entries()) {
      if (message.role !== "tool") continue;
      const call = byId.get(message.tool_call_id);
      if (call === undefined) continue;
      calls.set(call.callId, call);
      sent[index] = toolMessage(call.callId, message.name, call);
    }
  }

  /** Whether the last message is an answer. */
  get isAnswered(): boolean {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" && !last.tool_calls?.length && last.content.trim() !== "";
  }

  /** Returns the calls of the last assistant message if only their results follow it. */
  lastRequests(): readonly ToolCallRequest[] {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? (last.tool_calls ?? []) : [];
  }
}

/** The sources of a turn's results. */
export interface TurnSources {
  readonly annotations: readonly Annotation[];
  /** The sources that the turn's messages already cite, as `citedSource` returns them. */
  readonly cited: ReadonlySet<string>;
}

const noSources: TurnSources = { annotations: [], cited: new Set() };

/** Returns the sources of the results that the model was shown in a turn. */
export function turnSources(
  messages: readonly Message[],
  calls: ReadonlyMap<string, CallRecord>,
): TurnSources {
  const annotations: Annotation[] = [];
  const cited = new Set<string>();
  for (const { result, status, parentCallId } of calls.values())
    if (result !== undefined && status === "succeeded" && parentCallId === undefined)
      annotations.push(...resultSources(result));
  if (annotations.length === 0) return noSources;
  for (const message of messages)
    if (message.role === "assistant")
      for (const one of message.annotations ?? []) cited.add(citedSource(one));
  return { annotations, cited };
}

/** Results of fewer tokens are not shortened. */
const shortTokens = 200;

interface ShownRound {
  readonly calls: readonly CallRecord[];
  readonly tokens: number;
}

/**
 * Decides which results of a turn to shorten. When the results exceed `most` tokens, the oldest
 * rounds are shortened until at most half of these tokens remain. So a provider's cache is seldom
 * invalidated. The newest round stays unchanged. Depends only on the results and their order, so
 * that a resumed turn gets the same messages.
 */
export class ResultCompaction {
  readonly #most: number;
  readonly #canBeReadAgain: (call: CallRecord) => boolean;
  readonly #rounds: ShownRound[] = [];
  #tokens = 0;

  /**
   * @param most tokens; with `Infinity` nothing is shortened
   */
  constructor(most: number, canBeReadAgain: (call: CallRecord) => boolean) {
    this.#most = most;
    this.#canBeReadAgain = canBeReadAgain;
  }

  /** Adds the results of a round's calls. Returns earlier calls with shortened results. */
  add(calls: readonly CallRecord[]): readonly CallRecord[] {
    if (this.#most === Infinity) return none;
    const able = calls.filter((call) => isLong(call) && this.#canBeReadAgain(call));
    const tokens = able.reduce((sum, { result }) => sum + (result?.tokens.shown ?? 0), 0);
    this.#rounds.push({ calls: able, tokens });
    this.#tokens += tokens;
    if (this.#tokens <= this.#most) return none;
    const shortened: CallRecord[] = [];
    while (this.#tokens > this.#most / 2 && this.#rounds.length > 1) {
      const oldest = this.#rounds.shift();
      this.#tokens -= oldest?.tokens ?? 0;
      for (const call of oldest?.calls ?? []) shortened.push(shorten(call));
    }
    return shortened;
  }
}

/**
 * Whether a call's result can be read again: it is stored in a variable, or was itself read from
 * one.
 */
export function canBeReadAgain({ gate }: ToolExecutor, { toolId, result }: CallRecord): boolean {
  if (result?.cacheVarResult !== undefined) return true;
  return toolId !== undefined && gate.registry.tool(toolId)?.tool.variableTool === true;
}

const none: readonly CallRecord[] = [];

/** The model cannot read an image or a file again by its name. */
function isLong({ result }: CallRecord): boolean {
  if (result === undefined || result.tokens.shown <= shortTokens) return false;
  return result.parts?.some(({ type }) => type === "image" || type === "file") !== true;
}

/**
 * Shortens the stored result, regardless of earlier changes to its text, so that the bytes are the
 * same each time.
 */
function shorten(call: CallRecord): CallRecord {
  const { result } = call;
  if (result === undefined) return call;
  const { preview, cacheVarResult: name } = result;
  const again =
    name === undefined
      ? "Call it again for the full value."
      : `Full value: ReadVar(${JSON.stringify({ name })}).`;
  const finalText = `${preview}\n[Shortened: you were shown this before. ${again}]`;
  return { ...call, result: { ...result, finalText } };
}
