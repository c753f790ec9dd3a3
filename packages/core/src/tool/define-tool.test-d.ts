// Tests of the types that a tool infers. The compiler checks them; nothing here runs.
import { z } from "zod";
import type { ToolContext } from "./tool-context.ts";
import { contentParts, toolError } from "./return-value.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";
import type { ToolArgs } from "../base/json.ts";

// oxlint-disable typescript/no-unnecessary-type-parameters -- required to compare two types, not to
// assign them
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles if the two types are the same. */
function same<A, B>(_proof: Same<A, B>): void {}

const description = "";

// Contract: executor-5
// Zod: the schema's output as arguments, with defaults; `execute`'s return value as data.
const fromZod: Tool = defineTool({
  name: "Zod",
  description,
  parameters: z.object({
    path: z.string(),
    lines: z.number().default(10),
    deep: z.boolean().optional(),
  }),
  permission: {
    executionPolicy: (args) => (args.path === "/" ? "deny" : "auto"),
    grantScope: ({ path }) => ({ key: path, title: path }),
  },
  effects: { locks: ({ path }) => [path] },
  execute: (args, context) => {
    same<typeof args, { path: string; lines: number; deep?: boolean | undefined }>(true);
    same<typeof context, ToolContext>(true);
    return { count: args.lines };
  },
  formatForLLM: (data, args) => {
    same<typeof data, { count: number }>(true);
    return `${data.count} of ${args.path}`;
  },
  truncateForLLM: (text, { limit, path }) => {
    same<typeof limit, number | undefined>(true);
    return text.slice(0, limit ?? path.length);
  },
  compressArgs: ({ path }) => path,
});
void fromZod;

// Contract: plugins-44
// Events with a known name have a known form; any other takes plain data.
defineTool({
  name: "Events",
  description,
  execute: (_args, { output }) => {
    const image = {
      type: "image",
      source: { type: "base64", data: "" },
      mimeType: "image/png",
    } as const;
    output.event("image_generation.partial_image", { index: 0, image });
    // @ts-expect-error its index is missing
    output.event("image_generation.partial_image", { image });
    output.event("file_search.searching", {});
    output.event("own.stage", ["anything", { plain: true }]);
    // @ts-expect-error a function is not plain data
    output.event("own.stage", () => 1);
  },
});

// Contract: executor-5
// Errors and content parts are not data; a promise's value is.
defineTool({
  name: "Mixed",
  description,
  parameters: z.object({ n: z.number() }),
  execute: async ({ n }) => {
    if (n === 0) return toolError({ code: "zero", message: "Not zero." });
    if (n === 1) return contentParts([{ type: "text", text: "one" }]);
    return [n];
  },
  formatForLLM: (data) => {
    same<typeof data, number[]>(true);
    return data.join();
  },
});

// Contract: executor-5
// JSON Schema with explicit types: those that `execute` names.
defineTool({
  name: "Explicit",
  description,
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }: { readonly path: string }) => path.length,
  formatForLLM: (data, args) => {
    same<typeof data, number>(true);
    same<typeof args, { readonly path: string }>(true);
    return `${data} of ${args.path}`;
  },
});

// Contract: executor-5
// JSON Schema without types: any argument may exist.
defineTool({
  name: "Untyped",
  description,
  parameters: { type: "object", properties: { path: { type: "string" } } },
  execute: (args) => {
    same<typeof args, ToolArgs>(true);
    return String(args["path"]);
  },
});

// Contract: executor-5
// No parameters at all.
defineTool({ name: "None", description, execute: () => 1 });

// A client runs it.
defineTool({ name: "Client", description, parameters: z.object({}) });

defineTool({
  name: "Wrong",
  description,
  parameters: z.object({ path: z.string() }),
  // @ts-expect-error -- the schema has no such argument
  execute: ({ file }) => file,
});

defineTool({
  name: "WrongFormat",
  description,
  execute: () => 5,
  // @ts-expect-error -- the data is a number
  formatForLLM: (data) => data.toUpperCase(),
});

defineTool({
  name: "WrongPolicy",
  description,
  // @ts-expect-error -- there is no such policy
  permission: { executionPolicy: "never" },
  execute: () => 5,
});
