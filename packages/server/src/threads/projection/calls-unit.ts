import type { CallResult, JsonObject } from "@capstan/core";
import { type RunIdentity, stepView, type ThreadEvent, type Unit, type UnitEnd } from "./unit.ts";

/** The form in which the API shows a call. */
export type CallForm = "function" | "file_search" | "code_interpreter";

/** The calls of one round. */
export interface CallsUnit extends Unit {
  readonly type: "calls";
  /** Adds a call. A call that the unit has already keeps its form. */
  readonly add: (call: {
    readonly id: string;
    readonly name: string;
    readonly form: CallForm;
  }) => void;
  readonly has: (id: string) => boolean;
  readonly appendArguments: (id: string, text: string) => void;
  /** Sets the whole text of the arguments, of which the deltas are a part. */
  readonly setArguments: (id: string, text: string) => void;
  readonly settle: (id: string, result: CallResult, isStopped: boolean) => void;
  /** Whether a call was stopped before it had a result. */
  readonly isStopped: () => boolean;
  /** Whether every call has its result, except those that never run. */
  readonly isSettled: () => boolean;
  /** A call that was cut off never runs. */
  readonly drop: (id: string) => void;
}

interface Call {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  readonly form: CallForm;
  text: string;
  sent: number;
  isAnnounced: boolean;
  result: CallResult | undefined;
  isResultSent: boolean;
  isStopped: boolean;
  neverRuns: boolean;
}

/** Creates the step of a round's calls. */
export function createCallsUnit({
  identity,
  id: stepId,
  createdAt,
}: {
  readonly identity: RunIdentity;
  readonly id: string;
  readonly createdAt: number;
}): CallsUnit {
  const calls = new Map<string, Call>();

  const step = (end: UnitEnd | undefined, isEmpty = false) =>
    stepView(
      identity,
      {
        id: stepId,
        createdAt,
        type: "tool_calls",
        details: {
          type: "tool_calls",
          tool_calls: isEmpty ? [] : [...calls.values()].map(wholeCall),
        },
      },
      end,
    );
  const delta = (part: JsonObject): ThreadEvent => ({
    event: "thread.run.step.delta",
    data: {
      id: stepId,
      object: "thread.run.step.delta",
      delta: { step_details: { type: "tool_calls", tool_calls: [part] } },
    },
  });

  return {
    type: "calls",
    add({ id, name, form }) {
      if (calls.has(id)) return;
      const state = { text: "", sent: 0, isAnnounced: false, result: undefined, isStopped: false };
      const index = calls.size;
      calls.set(id, { id, index, name, form, ...state, isResultSent: false, neverRuns: false });
    },
    has: (id) => calls.has(id),
    appendArguments(id, text) {
      const call = calls.get(id);
      if (call !== undefined) call.text += text;
    },
    setArguments(id, text) {
      const call = calls.get(id);
      // Clients parse the arguments as JSON, so an empty text becomes an empty object.
      const json = text.trim() === "" ? "{}" : text;
      if (call === undefined) return;
      // Sent text cannot be changed: the closing event has the whole one.
      if (!json.startsWith(call.text.slice(0, call.sent))) call.sent = json.length;
      call.text = json;
    },
    settle(id, result, isStopped) {
      const call = calls.get(id);
      if (call === undefined) return;
      call.result = result;
      call.isStopped = isStopped;
    },
    isStopped: () => [...calls.values()].some((call) => call.isStopped),
    isSettled: () =>
      [...calls.values()].every((call) => call.result !== undefined || call.neverRuns),
    drop(id) {
      const call = calls.get(id);
      if (call !== undefined) call.neverRuns = true;
    },
    isSilent: () => calls.size === 0,
    open: () => [
      { event: "thread.run.step.created", data: step(undefined, true) },
      { event: "thread.run.step.in_progress", data: step(undefined, true) },
    ],
    takeDeltas: () => [...calls.values()].flatMap((call) => callDeltas(call).map(delta)),
    close: (end) => [{ event: `thread.run.step.${end.status}`, data: step(end) }],
    step,
    message: () => undefined,
  };
}

/** Returns the changes of a call since the last time. */
function callDeltas(call: Call): readonly JsonObject[] {
  const { index, form, text } = call;
  const parts: JsonObject[] = [];
  if (!call.isAnnounced) {
    call.isAnnounced = true;
    parts.push({ index, id: call.id, ...beginning(call) });
  }
  if (form === "function" && text.length > call.sent) {
    parts.push({ index, type: form, function: { arguments: text.slice(call.sent) } });
    call.sent = text.length;
  } else if (form === "code_interpreter" && call.sent === 0 && text !== "") {
    parts.push({ index, type: form, code_interpreter: { input: codeOf(text) } });
    call.sent = text.length;
  }
  if (call.result !== undefined && !call.isResultSent) {
    call.isResultSent = true;
    parts.push({ index, type: form, ...resultDelta(form, call.result) });
  }
  return parts;
}

function beginning({ form, name }: Call): JsonObject {
  switch (form) {
    case "function":
      return { type: form, function: { name, arguments: "", output: null } };
    case "code_interpreter":
      return { type: form, code_interpreter: { input: "", outputs: [] } };
    case "file_search":
      return { type: form, file_search: {} };
  }
}

function resultDelta(form: CallForm, result: CallResult): JsonObject {
  switch (form) {
    case "function":
      return { function: { output: result.finalText } };
    case "code_interpreter":
      return {
        code_interpreter: {
          outputs: codeOutputs(result).map((output, index) => ({ index, ...output })),
        },
      };
    case "file_search":
      return {
        file_search: {
          results: searchResults(result).map((found, index) => ({ index, ...found })),
        },
      };
  }
}

/** Returns a call as GET shows it. */
function wholeCall({ id, name, form, text, result }: Call): JsonObject {
  switch (form) {
    case "function":
      return {
        id,
        type: form,
        function: { name, arguments: text, output: result?.finalText ?? null },
      };
    case "code_interpreter":
      return {
        id,
        type: form,
        code_interpreter: {
          input: text === "" ? "" : codeOf(text),
          outputs: result === undefined ? [] : [...codeOutputs(result)],
        },
      };
    case "file_search":
      return {
        id,
        type: form,
        file_search: result === undefined ? {} : { results: [...searchResults(result)] },
      };
  }
}

/** Returns the program of a call: its argument `code`, or else all arguments. */
function codeOf(argumentsText: string): string {
  try {
    const args: unknown = JSON.parse(argumentsText);
    if (
      typeof args === "object" &&
      args !== null &&
      "code" in args &&
      typeof args.code === "string"
    )
      return args.code;
  } catch {
    // The model wrote no JSON.
  }
  return argumentsText;
}

function codeOutputs({ finalText, parts = [] }: CallResult): readonly JsonObject[] {
  const images = parts.flatMap((part) => {
    const id = part.type === "image" && "fileId" in part ? part.fileId : undefined;
    return typeof id === "string" ? [{ type: "image", image: { file_id: id } }] : [];
  });
  return [...(finalText === "" ? [] : [{ type: "logs", logs: finalText }]), ...images];
}

/** The score of a file that a tool found but did not rate. */
const noScore = 0;

function searchResults({ finalText, annotations = [] }: CallResult): readonly JsonObject[] {
  const found = new Map<string, string>();
  for (const each of annotations)
    if (each.type === "file_citation") found.set(each.fileId, each.filename ?? each.fileId);
  const content = [{ type: "text", text: finalText }];
  return [...found].map(([id, name], index) => ({
    file_id: id,
    file_name: name,
    score: noScore,
    // A search returns one text for all its files.
    ...(index === 0 && { content }),
  }));
}
