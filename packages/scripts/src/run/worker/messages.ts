import type { JsonObject, JsonValue } from "@capstan/core";
import { z } from "zod";

// Scripts can write to the descriptors of these messages, so the host validates each of them.
const text = z.string();
const json: z.ZodType<JsonValue> = z.any();
const jsonObject: z.ZodType<JsonObject> = z.record(text, json);

/** A call, as the host sends it to a worker. */
export interface CallRequest {
  readonly function: string;
  readonly arguments: JsonObject;
  readonly wantsContext: boolean;
  readonly hasFormat: boolean;
  readonly idempotencyKey: string;
  /** Present if the function wants its context. */
  readonly about?: CallContext;
}

/** The part of a call's context that its function gets as data. */
export interface CallContext {
  readonly user: string;
  readonly request: JsonObject;
  readonly tool: JsonObject | null;
  /** The function asks for a file's bytes by its position in this list. */
  readonly files: readonly {
    readonly id?: string;
    readonly name: string;
    readonly mimeType: string;
    readonly size?: number;
  }[];
}

const scriptException = z.object({
  type: text,
  message: text,
  traceback: text,
  /** Relative to the script's folder. */
  file: text.optional(),
  line: z.number().optional(),
  /** Present if the script threw a `ToolError`. */
  code: text.optional(),
  retryable: z.boolean().optional(),
});
/** An error that a script threw. */
export type ScriptException = Readonly<z.output<typeof scriptException>>;

const resultPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("value"), value: json }),
  z.object({ type: z.literal("file"), name: text, mimeType: text, base64: text }),
]);
/** A part of a result: text, or the content of a file. */
export type ResultPart = Readonly<z.output<typeof resultPart>>;

const hostRequest = z.discriminatedUnion("what", [
  z.object({ type: z.literal("ask"), id: z.number(), what: z.literal("variables") }),
  z.object({ type: z.literal("ask"), id: z.number(), what: z.literal("variable"), name: text }),
  /** The path of the workspace, with the call's files in it. */
  z.object({ type: z.literal("ask"), id: z.number(), what: z.literal("workspace") }),
  /** The next piece of a file, or the first one. */
  z.object({
    type: z.literal("ask"),
    id: z.number(),
    what: z.literal("file"),
    index: z.number(),
    restart: z.boolean(),
  }),
  z.object({
    type: z.literal("ask"),
    id: z.number(),
    what: z.literal("call_tool"),
    name: text,
    arguments: jsonObject,
  }),
]);
/** A request of a running call to the host. */
export type HostRequest = Readonly<z.output<typeof hostRequest>>;

/** The host's reply to a request. */
export type HostReply =
  | { readonly value: unknown }
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly retryable?: boolean;
      };
    };

const callAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("result"), value: json, text: text.optional() }),
  z.object({ type: z.literal("parts"), parts: z.array(resultPart) }),
  z.object({ type: z.literal("error"), error: scriptException }),
]);
/** The result or the error of a call. */
export type CallAnswer = Readonly<z.output<typeof callAnswer>>;

const progress = z.object({
  type: z.literal("progress"),
  message: text.optional(),
  done: z.number().optional(),
  total: z.number().optional(),
});
/** A progress report of a call. */
export type CallProgress = Readonly<Omit<z.output<typeof progress>, "type">>;

const report = z.discriminatedUnion("type", [
  /** Text to show at once. */
  z.object({ type: z.literal("write"), text }),
  z.object({ type: z.literal("event"), name: text, data: json }),
  /** A source of the result. */
  z.object({ type: z.literal("cite"), annotation: jsonObject }),
]);
/** Text, a custom event or a source that a call reports while it runs. */
export type CallReport = Readonly<z.output<typeof report>>;

/** Messages of a call, on descriptor 3. `over` is the worker's: the process of the call has ended. */
export const callMessage = z.union([
  callAnswer,
  progress,
  report,
  hostRequest,
  z.object({ type: z.literal("over") }),
]);

/** Messages of a worker, on descriptor 4. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("failed"), error: scriptException }),
  z.object({
    type: z.literal("ended"),
    /** Whether all processes of the call have ended. */
    clean: z.boolean(),
    /** How the process of the call ended, if not with code 0. */
    crashed: z.union([z.object({ signal: z.number() }), z.object({ code: z.number() })]).optional(),
  }),
]);
