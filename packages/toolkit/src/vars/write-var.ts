import {
  defineTool,
  type JsonValue,
  type Tool,
  toolError,
  type VariableInfo,
  type VariableSystem,
} from "@capstan/core";
import { readBack } from "@capstan/core/host";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";

const parameters = z.object({
  name: z.string().min(1).describe("A new variable, or one that you wrote, e.g. draft."),
  // Arguments are JSON; the schema of any JSON would take a hundred tokens.
  value: z
    .unknown()
    .optional()
    .describe("A text, or any JSON, which keeps its type. If absent, the value does not change."),
  desc: z.string().optional().describe("Its content, in a few words."),
  tags: z.array(z.string()).optional().describe("Replaces the existing tags."),
});

type Args = z.infer<typeof parameters>;

interface Written {
  readonly name: string;
  readonly created: boolean;
  readonly length: number;
}

/**
 * `WriteVar`: stores a text or other JSON as a variable, or changes a variable. Rules and results
 * cannot be changed.
 */
export function writeVar(): Tool {
  return defineTool({
    name: "WriteVar",
    description:
      "Stores a text or JSON as a variable, or changes the value, description or tags of one. For notes, drafts, and long texts to pass on by $VAR_REF{{name}}.",
    parameters,
    effects: { locks: ({ name }) => [`var:${name}`] },
    examples: [
      {
        title: "Keep a text for later calls.",
        args: { name: "draft", value: "# Report", desc: "Draft of the report", tags: ["report"] },
      },
    ],
    errors: {
      read_only_variable: "The variable is a rule, or the result or the arguments of a call.",
      variable_not_found: "There is no variable of this name, and no value to create it.",
    },
    permission: { executionPolicy: "auto" },
    idempotent: true,
    variableTool: true,
    compressArgs: ({ name }) => name,
    formatForLLM: ({ name, created, length }: Written) =>
      `${created ? "Created" : "Updated"} ${name} (${countOf(length, "character")}).`,
    execute: async (args, { variables }) => {
      // A change of the description stores the variable again, with its value.
      const isThere = variables.peekVariable(args.name) !== undefined;
      if (isThere && args.value === undefined) await readBack(variables, args.name);
      return write(args, variables);
    },
  });
}

/**
 * Store JSON with its type, for references to the whole variable, and its text for users and
 * models.
 */
function variableValue(value: JsonValue) {
  return typeof value === "string" ? value : { text: JSON.stringify(value), data: value };
}

function write({ name, value, desc, tags }: Args, variables: VariableSystem) {
  const before = variables.peekVariable(name);
  const refusal = refusalOf(name, value, before);
  if (refusal !== undefined) return toolError({ code: "read_only_variable", message: refusal });
  if (before === undefined && value === undefined) {
    const missing = variables.missingVariable(name);
    return toolError({ ...missing, message: `${missing.message} Give a value to create it.` });
  }
  const outcome = variables.updateVariable(before?.name ?? name, {
    ...(value !== undefined && { value: variableValue(value as JsonValue) }),
    ...(before === undefined && { type: "LLMAdd" as const }),
    ...(desc !== undefined && { desc }),
    ...(tags !== undefined && { tags }),
  });
  if (outcome.status === "refused") return toolError(outcome.error);
  return {
    name: outcome.variable.name,
    created: before === undefined,
    length: outcome.variable.length,
  };
}

/** The model cannot change rules. It cannot change results, because later turns refer to them. */
function refusalOf(
  name: string,
  value: unknown,
  before: VariableInfo | undefined,
): string | undefined {
  if (before?.type === "RULE") return `${name} is a rule and read-only. Choose another name.`;
  if (before === undefined && /^Rule\//i.test(name)) {
    return `Names that begin with Rule/ are for rules. Choose another name.`;
  }
  const isRecord = before?.type === "ToolCallResult" || before?.type === "ToolCallArgs";
  if (isRecord && value !== undefined) {
    return `${name} is a call's result or arguments and cannot be changed. Store the changed text under another name.`;
  }
  return undefined;
}
