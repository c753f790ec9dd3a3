import {
  defineTool,
  type Tool,
  type ToolError,
  toolError,
  type VariableSystem,
} from "@capstan/core";
import { missingInValue, readBack, readPointer, sliceText } from "@capstan/core/host";
import { z } from "zod";

/** The default and the maximum number of characters in one page. */
const pageLength = 8_000;
const longestReading = 50_000;

// Every request contains this definition, so it is short: it omits bounds and defaults.
const parameters = z.object({
  name: z.string(),
  start: z
    .int()
    .refine((start) => start >= 0, "Start at 0 or later.")
    .optional(),
  length: z
    .int()
    .refine((length) => length >= 1, "Read 1 character or more.")
    .optional(),
});

type Args = z.infer<typeof parameters>;

interface Reading {
  readonly name: string;
  readonly text: string;
  readonly start: number;
  /** Number of characters in the whole value. */
  readonly length: number;
  /** The start of the next page; absent at the end. */
  readonly next?: number;
}

/** `ReadVar`: returns a page of a variable's text, and how to read the next one. */
export function readVar(): Tool {
  return defineTool({
    name: "ReadVar",
    description: "Shows a variable.",
    parameters,
    effects: "read",
    examples: [
      { title: "Read a part of a long variable.", args: { name: "draft", start: 0, length: 500 } },
    ],
    errors: {
      out_of_range: "The start is behind the end of the value.",
      pointer_not_found: "The JSON pointer does not match the value.",
      variable_not_found: "There is no variable of this name.",
    },
    permission: { executionPolicy: "auto" },
    alwaysOffered: true,
    variableTool: true,
    SKIP_EXTERNAL_TRUNCATE: true,
    compressArgs: ({ name, start = 0 }) => (start === 0 ? name : `${name} from ${start}`),
    formatForLLM: ({ name, text, start, length, next }: Reading) => {
      if (start === 0 && next === undefined) return text;
      const end = start + text.length;
      const how =
        next === undefined
          ? "This is the end."
          : `Read on with ReadVar(${JSON.stringify({ name, start: next })}).`;
      return `${text}\n[Characters ${start} to ${end} of ${length}. ${how}]`;
    },
    execute: async (args, { variables }) => {
      const [name = args.name] = args.name.split("#/", 1);
      const isWhole = variables.peekVariable(args.name) !== undefined;
      await readBack(variables, isWhole ? args.name : name);
      return read(args, variables);
    },
  });
}

function read(
  { name, start = 0, length = pageLength }: Args,
  variables: VariableSystem,
): Reading | ToolError {
  const found = textOf(name, variables);
  if (typeof found !== "string") return found;
  if (start > 0 && start >= found.length) {
    return toolError({
      code: "out_of_range",
      message: `${name} has ${found.length} characters; start is ${start}. Start below that.`,
    });
  }
  // Do not start inside a surrogate pair, so that the next page starts at the end of this one.
  const from = found.length - sliceText(found, start).length;
  const text = sliceText(found, from, Math.min(length, longestReading));
  const next = from + text.length;
  return { name, text, start: from, length: found.length, ...(next < found.length && { next }) };
}

/** Try the exact name first, because a name can contain `#/`. */
function textOf(name: string, variables: VariableSystem): string | ToolError {
  const exact = variables.getVariable(name);
  if (exact !== undefined) return exact.value.text;
  const hash = name.indexOf("#/");
  const variable = hash < 0 ? undefined : variables.getVariable(name.slice(0, hash));
  if (variable === undefined) {
    return toolError(variables.missingVariable(hash < 0 ? name : name.slice(0, hash)));
  }
  const pointer = name.slice(hash + 1);
  const { data } = variable.value;
  if (data === undefined) {
    return toolError({
      code: "pointer_not_found",
      message: `${variable.name} is plain text, so it has no value at ${pointer}. Read it with start and length.`,
    });
  }
  const outcome = readPointer(data, pointer);
  if (outcome.status === "missing") {
    const message = missingInValue(variable.name, pointer, outcome);
    return toolError({ code: "pointer_not_found", message });
  }
  const { value } = outcome;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
