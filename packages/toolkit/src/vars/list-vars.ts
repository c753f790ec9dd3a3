import { defineTool, type Tool, type VariableInfo, type VariableSystem } from "@capstan/core";
import type { VariableType } from "@capstan/core/host";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";

const pageSize = 25;
const types = {
  RULE: true,
  ToolCallResult: true,
  ToolCallArgs: true,
  MessageCache: true,
  LLMAdd: true,
  USER_ADD: true,
} satisfies { readonly [type in VariableType]: true };

// Every request contains this definition, so it is short: it omits the filter's valid values, which
// the error lists.
const parameters = z.object({
  filter: z
    .object({
      type: z
        .string()
        .refine(
          (type): type is VariableType => Object.hasOwn(types, type),
          `Choose one of ${Object.keys(types).join(", ")}.`,
        )
        .optional(),
      tag: z.string().optional(),
      search: z.string().optional(),
    })
    .optional(),
  page: z
    .int()
    .refine((page) => page >= 1, "Pages are numbered from 1.")
    .optional(),
});

type Args = z.infer<typeof parameters>;

interface VariableList {
  readonly variables: readonly VariableInfo[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** `ListVars`: lists the variables, the most recently used first. */
export function listVars(): Tool {
  return defineTool({
    name: "ListVars",
    description: "Lists variables.",
    parameters,
    effects: "read",
    examples: [{ title: "List the variables with a tag.", args: { filter: { tag: "report" } } }],
    permission: { executionPolicy: "auto" },
    alwaysOffered: true,
    variableTool: true,
    SKIP_EXTERNAL_TRUNCATE: true,
    formatForLLM: format,
    execute: (args, { variables }) => list(args, variables),
  });
}

function list({ filter = {}, page = 1 }: Args, variables: VariableSystem): VariableList {
  const wanted = Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== undefined),
  ) as Parameters<VariableSystem["listVariables"]>[0];
  const all = variables.listVariables(wanted);
  return {
    variables: all.slice((page - 1) * pageSize, page * pageSize),
    total: all.length,
    page,
    pages: Math.max(1, Math.ceil(all.length / pageSize)),
  };
}

function format({ variables, total, page, pages }: VariableList): string {
  if (total === 0) return "There is no such variable.";
  if (page > pages) return `There are ${countOf(pages, "page")}; there is no page ${page}.`;
  const lines = variables.map(({ name, type, length, desc, tags, keep }) =>
    [
      `- ${name} (${type}, ${countOf(length, "character")}${keep ? ", kept" : ""})`,
      ...(desc === undefined || desc === "" ? [] : [oneLine(desc)]),
      ...(tags.length === 0 ? [] : [`tags: ${tags.map(oneLine).join(", ")}`]),
    ].join("; "),
  );
  const more = page < pages ? ` More with page ${page + 1}.` : "";
  return `${countOf(total, "variable")}, page ${page} of ${pages}.${more}\n${lines.join("\n")}`;
}

/** Returns a text as one line, so that texts of users and tools cannot forge lines of the list. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
