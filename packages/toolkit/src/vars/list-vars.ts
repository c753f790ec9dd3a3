import { defineTool, type Tool, type VariableInfo, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";

const parameters = z.object({
  filter: z
    .object({
      type: z
        .enum(["RULE", "ToolCallResult", "ToolCallArgs", "MessageCache", "LLMAdd", "USER_ADD"])
        .optional(),
      tag: z.string().optional(),
      search: z.string().optional(),
    })
    .optional(),
  page: z.number().int().min(1).default(1),
  pageSize: z.number().int().min(1).max(200).default(25),
});

type Args = z.infer<typeof parameters>;

interface VariableList {
  readonly variables: readonly VariableInfo[];
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** `ListVars`: which variables there are, the last visited first. */
export function listVars(): Tool {
  return defineTool({
    name: "ListVars",
    description: "Lists variables, those last used first.",
    parameters,
    effects: "read",
    permission: { executionPolicy: "auto" },
    alwaysOffered: true,
    variableTool: true,
    SKIP_EXTERNAL_TRUNCATE: true,
    formatForLLM: format,
    execute: (args, { variables }) => list(args, variables),
  });
}

function list({ filter = {}, page, pageSize }: Args, variables: VariableSystem): VariableList {
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

/** What people and tools wrote must not look like further lines of the list. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
