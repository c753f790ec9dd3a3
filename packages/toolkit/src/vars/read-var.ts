import {
  defineTool,
  type Tool,
  type ToolError,
  toolError,
  type VariableSystem,
} from "@capstan/core";
import { missingInValue, readBack, readPointer, sliceText } from "@capstan/core/host";
import { z } from "zod";

/** Characters of one reading, and the most that can be asked for. */
const pageLength = 8_000;
const longestReading = 50_000;

// In every request of every session: bounds and defaults are checked and filled in, not shown.
const parameters = z.object({
  name: z.string(),
  start: z
    .int()
    .refine((start) => start >= 0, "Begin at 0 or later.")
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
  /** Characters of the whole value. */
  readonly length: number;
  /** Where to read on; absent at the end. */
  readonly next?: number;
}

/** `ReadVar`: a variable's text, a page at a time, and how to read on. */
export function readVar(): Tool {
  return defineTool({
    name: "ReadVar",
    description: "Shows a variable.",
    parameters,
    effects: "read",
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
      if (variables.peekVariable(args.name) === undefined) await readBack(variables, name);
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
  // Not from the middle of a surrogate pair, so that the next page begins at the end of this one.
  const from = found.length - sliceText(found, start).length;
  const text = sliceText(found, from, Math.min(length, longestReading));
  const next = from + text.length;
  return { name, text, start: from, length: found.length, ...(next < found.length && { next }) };
}

/** The exact name goes first: a name may itself hold `#/`. */
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
      message: `${variable.name} is text without structure: nothing is at ${pointer}. Read it with start and length.`,
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
