import type { JsonObject, JsonValue, ToolDefinition } from "@capstan/core";
import { isObject } from "../../http/errors.ts";
import type { BuiltInType } from "./tool-form.ts";

/** Definitions for models of the tools that the API defines. */
const definitions: { readonly [type in BuiltInType]: ToolDefinition["function"] } = {
  local_shell: {
    name: "local_shell",
    description: "Runs a command on the user's computer and returns its output.",
    parameters: {
      type: "object",
      properties: {
        command: {
          type: "array",
          items: { type: "string" },
          minItems: 1,
          description: 'The program and its arguments, for example ["bash", "-lc", "ls"].',
        },
        env: { type: "object", additionalProperties: { type: "string" } },
        timeout_ms: { type: "integer", minimum: 1 },
        user: { type: "string" },
        working_directory: { type: "string" },
      },
      required: ["command"],
      additionalProperties: false,
    },
  },
  shell: {
    name: "shell",
    description:
      "Runs shell commands on the user's computer and returns the output of each. The commands may run at the same time.",
    parameters: {
      type: "object",
      properties: {
        commands: { type: "array", items: { type: "string" }, minItems: 1 },
        timeout_ms: { type: "integer", minimum: 1 },
        max_output_length: { type: "integer", minimum: 1 },
      },
      required: ["commands"],
      additionalProperties: false,
    },
  },
  apply_patch: {
    name: "apply_patch",
    description:
      "Creates, updates or deletes a file of the user. `diff` is in the V4A format: each line begins with a space, + or -, and lines with @@ separate sections.",
    parameters: {
      type: "object",
      properties: {
        operation: {
          anyOf: [
            {
              type: "object",
              properties: {
                type: { type: "string", enum: ["create_file", "update_file"] },
                path: { type: "string", minLength: 1 },
                diff: { type: "string" },
              },
              required: ["type", "path", "diff"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: {
                type: { type: "string", enum: ["delete_file"] },
                path: { type: "string", minLength: 1 },
                // Models write an empty `diff` for deletions. It has no meaning.
                diff: { type: "string" },
              },
              required: ["type", "path"],
              additionalProperties: false,
            },
          ],
        },
      },
      required: ["operation"],
      additionalProperties: false,
    },
  },
  tool_search: {
    name: "tool_search",
    description: "Searches for further tools, which can be called after they were found.",
    parameters: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1 } },
      required: ["query"],
      additionalProperties: false,
    },
  },
};

/** Returns the definition of a tool that the API defines. */
export function builtInDefinition(
  type: BuiltInType,
  own: Partial<Pick<ToolDefinition["function"], "description" | "parameters">> = {},
): ToolDefinition {
  return { type: "function", function: { ...definitions[type], ...own } };
}

/** Returns whether a tool's type is one that the API defines and a client runs. */
export function isBuiltIn(type: unknown): type is BuiltInType {
  return typeof type === "string" && Object.hasOwn(definitions, type);
}

/** Returns the members of a call's item that hold its arguments. */
export function callMembers(type: BuiltInType, args: JsonObject): JsonObject {
  switch (type) {
    case "local_shell": {
      const { command = [], env = {}, ...rest } = args;
      return { action: { type: "exec", command, env, ...rest } };
    }
    case "shell": {
      const { commands = [], timeout_ms = null, max_output_length = null } = args;
      return { action: { commands, timeout_ms, max_output_length } };
    }
    case "apply_patch": {
      // A call that was cut off has no checked arguments.
      const { operation = { type: "update_file", path: "", diff: "" } } = args;
      return { operation: isDeletion(operation) ? withoutDiff(operation) : operation };
    }
    case "tool_search":
      return { execution: "client", arguments: args };
  }
}

/**
 * Returns these members as in the call's first event: without content. Clients read the type and
 * the path of a patch there.
 */
export function openingMembers(type: BuiltInType, args: JsonObject): JsonObject {
  const members = callMembers(type, type === "apply_patch" ? args : {});
  const { operation } = members;
  if (!isObject(operation) || operation["diff"] === undefined) return members;
  return { operation: { ...operation, diff: "" } };
}

function isDeletion(operation: JsonValue): operation is JsonObject {
  return isObject(operation) && operation["type"] === "delete_file";
}

function withoutDiff({ diff: _diff, ...operation }: JsonObject): JsonObject {
  return operation;
}

/** Returns the arguments of a call from its item's action, operation or arguments. */
export function callArguments(type: BuiltInType, given: JsonObject): JsonObject {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  if (type === "apply_patch") return { operation: known };
  if (type !== "local_shell") return known;
  const { type: _exec, env, ...rest } = known;
  const isEmpty = typeof env === "object" && env !== null && Object.keys(env).length === 0;
  return { ...rest, ...(env !== undefined && !isEmpty && { env }) };
}
