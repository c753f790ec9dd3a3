import { defineTool, type JsonValue, type Tool, toolError } from "@capstan/core";
import { z } from "zod";
import { addToShape, emptyShape } from "./json-shape.ts";
import { parseJson } from "./parse-json.ts";
import { printInterfaces } from "./print-interfaces.ts";

const deepest = 200;

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
    permission: { executionPolicy: "auto" },
    compressArgs: ({ name }: { readonly name?: string }) => name ?? "",
    execute: ({ json, name }) => {
      const parsed = parseJson(json);
      if (parsed.status === "invalid") {
        return toolError({ code: "invalid_json", message: parsed.message });
      }
      if (!isShallow(parsed.value)) {
        return toolError({
          code: "too_deep",
          message: `The JSON is nested more than ${deepest} levels deep. Pass a part of it.`,
        });
      }
      const shape = emptyShape();
      addToShape(shape, parsed.value);
      return printInterfaces(shape, name);
    },
  });
}

/** Iterates level by level, so that no depth can overflow the stack. */
function isShallow(value: JsonValue): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false;
    level = level.flatMap((inner) =>
      typeof inner === "object" && inner !== null ? Object.values(inner) : [],
    );
  }
  return true;
}
