import type { StandardSchema } from "./standard-schema.ts";
import type { Tool } from "./tool.ts";
import type { ToolArgs } from "../base/json.ts";

type Callbacks = Omit<Tool, "definition" | "execute">;

/** Gives every callback of a tool the arguments as its schema makes them, as `execute` gets them. */
export function withParsedArguments(schema: StandardSchema, tool: Callbacks): Callbacks {
  const parsed = (args: ToolArgs) => parse(schema, args);
  const { permission, effects, formatForLLM, truncateForLLM, compressArgs } = tool;
  const { executionPolicy, grantScope, canonicalArguments } = permission ?? {};
  return {
    ...tool,
    ...(permission !== undefined && {
      permission: {
        ...permission,
        ...(typeof executionPolicy === "function" && {
          executionPolicy: (args: ToolArgs) => executionPolicy(parsed(args)),
        }),
        ...(grantScope !== undefined && {
          grantScope: (args: ToolArgs) => grantScope(parsed(args)),
        }),
        ...(canonicalArguments !== undefined && {
          canonicalArguments: (args: ToolArgs) => canonicalArguments(parsed(args)),
        }),
      },
    }),
    ...(typeof effects === "object" && {
      effects: { locks: (args: ToolArgs) => effects.locks(parsed(args)) },
    }),
    ...(formatForLLM !== undefined && {
      formatForLLM: (data: unknown, args: ToolArgs) => formatForLLM(data, parsed(args)),
    }),
    ...(truncateForLLM !== undefined && {
      // `limit` is the executor's: no schema of the tool knows it.
      truncateForLLM: (text: string, args: ToolArgs) =>
        truncateForLLM(
          text,
          "limit" in args ? { ...parsed(args), limit: args["limit"] } : parsed(args),
        ),
    }),
    ...(compressArgs !== undefined && {
      compressArgs: (args: ToolArgs) => compressArgs(parsed(args)),
    }),
  };
}

/** A schema that cannot tell at once leaves the arguments as they are. */
function parse(schema: StandardSchema, args: ToolArgs): ToolArgs {
  const result = schema["~standard"].validate(args);
  return result instanceof Promise || result.issues !== undefined
    ? args
    : (result.value as ToolArgs);
}
