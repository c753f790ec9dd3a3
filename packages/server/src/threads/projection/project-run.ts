import type { ChainError, JsonObject, Usage } from "@capstan/core";
import type { FinishReason } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { type CallForm, type CallsUnit, createCallsUnit } from "./calls-unit.ts";
import { createImagesUnit, imageIds, type ImagesUnit } from "./images-unit.ts";
import { createMessageUnit, type MessageUnit } from "./message-unit.ts";
import type { IncompleteReason, RunIdentity, StepEnd, ThreadEvent, UnitEnd } from "./unit.ts";

/** The options of `createRunProjection`, which are stored with the run. */
export interface RunProjectionOptions {
  readonly identity: RunIdentity;
  /** The forms of calls of tools `group.Tool`. @default "function" */
  readonly forms?: { readonly [toolId: string]: CallForm };
  /**
   * Whether an answer is shown only after its round has ended, because the server may reject it: it
   * must match a strict schema.
   * @default false
   */
  readonly holdsAnswers?: boolean;
}

/** A change of the run itself, which the caller shows. */
export type RunPiece =
  | ThreadEvent
  | { readonly event: "run"; readonly change: "started" | "waiting" | "ended" };

/** The messages and steps of a run, as they develop. */
export interface RunProjection {
  /** Returns the client events for an event of the run. */
  readonly push: (event: RunEvent) => readonly RunPiece[];
  /**
   * From now on only completes the existing steps, because the stream of another request began
   * them.
   */
  readonly continueElsewhere: () => void;
  readonly steps: () => readonly (JsonObject & { readonly id: string })[];
  readonly messages: () => readonly (JsonObject & { readonly id: string })[];
}

interface Entry {
  readonly unit: MessageUnit | CallsUnit | ImagesUnit;
  isOpen: boolean;
  /** It was begun in the stream of another request. */
  isOld: boolean;
  isHeld: boolean;
  end: UnitEnd | undefined;
}

/**
 * Creates the projection of one run: its events become messages and steps. Streams and GET use the
 * same one, so they agree.
 *
 * @example
 * const projection = createRunProjection({ identity });
 * for await (const event of stream) for (const piece of projection.push(event)) show(piece);
 */
export function createRunProjection({
  identity,
  forms = {},
  holdsAnswers = false,
}: RunProjectionOptions): RunProjection {
  const suffix = identity.runId.replace(/^run_/, "");
  const entries: Entry[] = [];
  let queue: Entry[] = [];
  /** Open texts and arguments by their item. */
  const texts = new Map<string, Entry & { readonly unit: MessageUnit }>();
  const args = new Map<string, string>();
  const clientCalls = new Set<string>();
  const finalCalls = new Set<string>();
  /** The calls of the current round. */
  let calls: (Entry & { readonly unit: CallsUnit }) | undefined;
  let hasRoundEnded = false;
  let usage: Usage | undefined;
  let finishReason: FinishReason | undefined;
  /** A message whose text is complete. It ends with the next event, which has a time. */
  let ending: (Entry & { readonly unit: MessageUnit }) | undefined;
  /** The entries of the current model step. */
  let ofStep: Entry[] = [];
  let at = 0;
  let hasStarted = false;
  let hasEnded = false;

  const enter = <U extends Entry["unit"]>(
    unit: U,
    isHeld = false,
  ): Entry & { readonly unit: U } => {
    const entry = { unit, isOpen: false, isOld: false, isHeld, end: undefined };
    entries.push(entry);
    queue.push(entry);
    ofStep.push(entry);
    return entry;
  };
  const advance = (): readonly ThreadEvent[] => {
    const events: ThreadEvent[] = [];
    for (let entry = queue[0]; entry !== undefined; entry = queue[0]) {
      const { unit, end } = entry;
      if (unit.isSilent()) {
        if (end === undefined) break;
        queue = queue.slice(1);
        continue;
      }
      if (entry.isHeld) break;
      if (!entry.isOpen) events.push(...unit.open());
      entry.isOpen = true;
      const deltas = unit.takeDeltas();
      if (!entry.isOld) events.push(...deltas);
      if (end === undefined) break;
      events.push(...unit.close(end));
      queue = queue.slice(1);
    }
    return events;
  };
  const close = (entry: Entry, status: StepEnd, more: Partial<UnitEnd> = {}): void => {
    entry.end ??= { status, at, ...more };
  };
  const closeEnding = (more: Partial<UnitEnd> = {}): void => {
    if (ending !== undefined) close(ending, "completed", more);
    ending = undefined;
  };
  const closeCalls = (status: StepEnd = "completed", more: Partial<UnitEnd> = {}): void => {
    if (calls !== undefined) close(calls, status, { usage, ...more });
    calls = undefined;
  };
  const callsOfRound = (): CallsUnit => {
    calls ??= enter(
      createCallsUnit({ identity, id: `step_${suffix}_${entries.length}`, createdAt: at }),
    );
    return calls.unit;
  };
  const startText = (event: Extract<RunEvent, { type: "item.start"; kind: "text" }>): void => {
    const n = entries.length;
    const unit = createMessageUnit({
      identity,
      ids: { step: `step_${suffix}_${n}`, message: `msg_${suffix}_${n}` },
      isRefusal: event.refusal === true,
      createdAt: at,
    });
    const isHeld = holdsAnswers && event.refusal !== true && event.callId === undefined;
    texts.set(event.itemId, enter(unit, isHeld));
  };
  /** Shows the pictures of a final tool as a message, because they are part of the answer. */
  const showImages = ({ result, status }: Extract<RunEvent, { type: "call.settled" }>): void => {
    const files = status === "success" ? imageIds(result) : [];
    if (files.length === 0) return;
    const n = entries.length;
    const ids = { step: `step_${suffix}_${n}`, message: `msg_${suffix}_${n}` };
    close(enter(createImagesUnit({ identity, ids, createdAt: at, files })), "completed");
  };
  const startRound = (): void => {
    closeEnding();
    closeCalls();
    hasRoundEnded = false;
    usage = undefined;
    ofStep = [];
  };
  const endRound = (event: Extract<RunEvent, { type: "round.ended" }>): void => {
    hasRoundEnded = true;
    ({ usage, finishReason } = event);
    for (const entry of ofStep) entry.isHeld = false;
    const isLast = calls === undefined;
    closeEnding({ ...(isLast && { usage }), reason: cutReasons[event.finishReason] });
    ofStep = [];
  };
  /** Discards what the model wrote since its last finished step. */
  const restart = (reason: string): void => {
    ending = undefined;
    for (const entry of ofStep) {
      entry.isHeld = false;
      if (!entry.isOpen) queue = queue.filter((other) => other !== entry);
      if (!entry.isOpen) entries[entries.indexOf(entry)] = discarded;
      const message = `The model was started again: ${reason}`;
      close(entry, "failed", { message });
    }
    if (calls !== undefined && ofStep.includes(calls)) calls = undefined;
    for (const [itemId, entry] of texts) if (ofStep.includes(entry)) texts.delete(itemId);
    args.clear();
    ofStep = [];
  };
  const endAll = (event: Extract<RunEvent, { type: "chain.ended" }>): void => {
    hasEnded = true;
    const status = endOf(event.status);
    const message = errorText(event.error);
    if (ending !== undefined && status === "completed")
      closeEnding({ reason: finishReason && cutReasons[finishReason] });
    ending = undefined;
    closeCalls(status, { message });
    for (const entry of entries) {
      entry.isHeld = false;
      close(entry, status, { message });
    }
  };

  const apply = (event: RunEvent): readonly RunPiece[] => {
    switch (event.type) {
      case "chain.started":
      case "chain.resumed":
        if (hasStarted) return [];
        hasStarted = true;
        return [{ event: "run", change: "started" }];
      case "round.started":
        startRound();
        return [];
      case "item.start":
        closeEnding();
        if (event.kind === "text") startText(event);
        if (event.kind !== "arguments" || event.owner !== "client") return [];
        args.set(event.itemId, event.callId);
        clientCalls.add(event.callId);
        callsOfRound().add({ id: event.callId, name: event.name, form: "function" });
        return [];
      case "item.delta": {
        const callId = args.get(event.itemId);
        if (callId !== undefined) calls?.unit.appendArguments(callId, event.delta);
        else texts.get(event.itemId)?.unit.append(event.delta);
        return [];
      }
      case "item.end": {
        const callId = args.get(event.itemId);
        if (callId !== undefined) {
          calls?.unit.setArguments(callId, event.text);
          if (event.incomplete === true) calls?.unit.drop(callId);
          return [];
        }
        const entry = texts.get(event.itemId);
        if (entry === undefined) return [];
        texts.delete(event.itemId);
        entry.unit.finish(event.text, event.annotations);
        ending = entry;
        return [];
      }
      case "model.restarted":
        restart(event.reason);
        return [];
      case "round.ended":
        endRound(event);
        return [];
      case "call.proposed": {
        closeEnding();
        const { callId: id, name, toolId, parentCallId, hidden, argumentsText } = event;
        if (parentCallId !== undefined || hidden === true) return [];
        if (event.final === true) finalCalls.add(id);
        const form = (toolId !== undefined && forms[toolId]) || "function";
        callsOfRound().add({ id, name, form });
        calls?.unit.setArguments(id, argumentsText);
        return [];
      }
      case "call.settled":
        closeEnding();
        calls?.unit.settle(event.callId, event.result, event.status === "cancelled");
        if (finalCalls.has(event.callId)) showImages(event);
        // A call that was stopped together with its run ends with the run.
        if (hasRoundEnded && calls?.unit.isSettled() === true && !calls.unit.isStopped())
          closeCalls();
        return [];
      case "chain.waiting":
        closeEnding();
        return event.callIds.some((id) => clientCalls.has(id))
          ? [{ event: "run", change: "waiting" }]
          : [];
      case "chain.ended":
        endAll(event);
        return [{ event: "run", change: "ended" }];
      default:
        return [];
    }
  };

  const shown = () => entries.filter(({ unit, isHeld }) => !unit.isSilent() && !isHeld);
  return {
    push(event) {
      if (hasEnded) return [];
      if ("at" in event) ({ at } = event);
      const changes = apply(event);
      const events = advance();
      // The run starts before its first step, and ends after its last one.
      const started = changes.filter((each) => "change" in each && each.change === "started");
      const others = changes.filter((each) => !started.includes(each));
      return [...started, ...events, ...others];
    },
    continueElsewhere() {
      hasStarted = false;
      for (const entry of entries) entry.isOld = entry.isOpen;
    },
    steps: () => shown().map(({ unit, end }) => unit.step(end)),
    messages: () =>
      shown().flatMap(({ unit, end }) => {
        const message = unit.message(end);
        return message === undefined ? [] : [message];
      }),
  };
}

/** Replaces an entry that was discarded before it was shown, so that later ids stay the same. */
const discarded: Entry = {
  unit: createCallsUnit({
    identity: { runId: "", threadId: "", assistantId: "" },
    id: "",
    createdAt: 0,
  }),
  isOpen: false,
  isOld: false,
  isHeld: false,
  end: { status: "failed", at: 0 },
};

const cutReasons: { readonly [reason in FinishReason]: IncompleteReason | undefined } = {
  stop: undefined,
  tool_calls: undefined,
  error: undefined,
  other: undefined,
  length: "max_tokens",
  content_filter: "content_filter",
};

function endOf(status: Extract<RunEvent, { type: "chain.ended" }>["status"]): StepEnd {
  switch (status) {
    case "completed":
      return "completed";
    case "aborted":
      return "cancelled";
    case "timeout":
      return "expired";
    case "error":
      return "failed";
  }
}

function errorText(error: ChainError | undefined): string | undefined {
  return error?.message;
}
