import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { runTextJob } from "./run-text-job.ts";

const parameters = z.object({
  json: z.string().describe("The JSON text; $VAR_REF{{name}} inserts a stored result."),
  name: z.string().default("Root").describe("Name of the outermost type. Default Root."),
});

/** `JsonToInterface`: describes the structure of JSON in a few lines, without its data. */
export function jsonToInterface(): Tool {
  return defineTool({
    name: "JsonToInterface",
    description:
      "TypeScript interfaces that describe a JSON text. Objects of one array are merged: a field that some objects lack is optional, and several types become a union.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Describe a list of objects.",
        args: { json: '[{"id": 1}, {"id": 2, "name": "x"}]', name: "Row" },
      },
    ],
    permission: { executionPolicy: "auto" },
    compressArgs: ({ name }: { readonly name?: string }) => name ?? "",
    execute: ({ json, name }, { principal, signal }) =>
      runTextJob({ type: "interfaces", json, name }, { user: principal.id, signal }),
  });
}
