import { isDeepStrictEqual } from "node:util";
import {
  defineTool,
  defineToolGroup,
  type JsonObject,
  type JsonSchema,
  ToolExecutor,
} from "@capstan/core";
import { Ajv, type Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

/**
 * Parses the text of a call's arguments. Returns the arguments that the tool would receive, or
 * undefined if they are rejected.
 */
export type Acceptor = (text: string) => Promise<unknown>;

/** For each subject, creates the parser for calls of a tool with this schema. */
export const subjects: { readonly [subject: string]: (schema: JsonSchema) => Acceptor } = {
  capstan: gate,
  ajv: (schema) => validator(schema, {}),
  "ajv-coerce": (schema) => validator(schema, { coerceTypes: "array" }),
};

/** Passes the call through the gate to the tool. */
function gate(schema: JsonSchema): Acceptor {
  let given: unknown;
  const tool = defineTool({
    name: "Take",
    description: "Takes its arguments.",
    parameters: schema,
    permission: { executionPolicy: "auto" },
    execute: (args: JsonObject) => {
      given = args;
      return "taken";
    },
  });
  const executor = new ToolExecutor();
  executor.registerToolGroup(defineToolGroup({ name: "bench", tools: [tool] }));
  executor.toggleGroupEnabled("bench", true);
  return async (text) => {
    given = undefined;
    await executor.execute("Take", text);
    return given;
  };
}

/** `JSON.parse`, then Ajv, which coerces in place. */
function validator(schema: JsonSchema, options: Options): Acceptor {
  const isLegacy = String(schema["$schema"]).includes("draft-07");
  const settings = { strict: false, ...options };
  const validate = (isLegacy ? new Ajv(settings) : new Ajv2020(settings)).compile(schema);
  return (text) => {
    let args: unknown;
    try {
      args = JSON.parse(text);
    } catch {
      return Promise.resolve(undefined);
    }
    return Promise.resolve(validate(args) ? args : undefined);
  };
}

export function isSame(given: unknown, meant: unknown): boolean {
  return isDeepStrictEqual(given, meant);
}
