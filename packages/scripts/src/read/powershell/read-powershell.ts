import type { JsonObject, JsonValue } from "@capstan/core";
import type { ParsedFile, RawPermissions } from "../../definition/parsed-file.ts";
import type { ScriptFunction, ScriptProblem } from "../../definition/script-function.ts";
import { helpOfFile, helpOfFunction } from "./comment-help.ts";
import { attributeArguments } from "./literal.ts";
import { type Outline, type OutlineFunction, scanOutline } from "./outline.ts";
import { readParameter } from "./parameter-schema.ts";

/** Returns the tools of a PowerShell file. */
export function readPowerShell(source: string): ParsedFile {
  const outline = scanOutline(source);
  const lineOf = lineCounter(source);
  const unclosed = outline.unclosed.map(({ what, at }): ScriptProblem => ({
    severity: "error",
    message: `${what} is opened here and never closed.`,
    line: lineOf(at),
  }));
  if (unclosed.length > 0) return { problems: unclosed };
  const problems: ScriptProblem[] = [];
  const help = helpOfFile(source, outline);
  const all = lastOfEachName(outline.functions);
  const names = new Set(all.map(({ name }) => name.toLowerCase()));
  const isFormat = (name: string) =>
    /^format-/i.test(name) && names.has(name.slice("format-".length).toLowerCase());
  const tools = all.filter(({ name }) => !/^(?:_|internal-)/i.test(name) && !isFormat(name));
  const configs = readConfigs(outline, lineOf, problems);
  const within = (one: OutlineFunction) =>
    configs.filter(({ at }) => at > one.bodyStart && at < one.bodyEnd)[0]?.value;
  const isInside = (at: number) =>
    outline.functions.some((one) => at > one.bodyStart && at < one.bodyEnd);
  const { title, ...file } = configs.find(({ at }) => !isInside(at))?.value ?? {};
  return {
    rules: help?.description ?? "",
    ...(title !== undefined && { title }),
    functions: tools.map((one) => {
      const problem = (message: string, at = one.start) =>
        void problems.push({ severity: "warning", message, line: lineOf(at) });
      const hasFormat = names.has(`format-${one.name.toLowerCase()}`);
      return { ...readFunction(source, outline, one, problem), line: lineOf(one.start), hasFormat };
    }),
    declared: {
      file,
      functions: Object.fromEntries(
        tools.flatMap((one) => {
          const own = within(one);
          return own === undefined ? [] : [[one.name, own]];
        }),
      ),
    },
    problems,
  };
}

function readFunction(
  source: string,
  outline: Outline,
  one: OutlineFunction,
  problem: (message: string, at?: number) => void,
): Omit<ScriptFunction, "line" | "hasFormat"> {
  const help = helpOfFunction(source, outline, one);
  if (help === undefined || help.description === "")
    problem(`${one.name} has no .SYNOPSIS: a model cannot know its purpose.`);
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  let wantsContext = false;
  for (const parameter of one.parameters) {
    if (parameter.name.toLowerCase() === "context") {
      wantsContext = true;
      continue;
    }
    const read = readParameter(parameter);
    if (read.unknownType !== undefined)
      problem(
        `The type [${read.unknownType}] of $${parameter.name} is unknown: any value is accepted.`,
        parameter.start,
      );
    const message = helpMessage(parameter.attributes);
    const text = help?.parameters.get(parameter.name.toLowerCase()) ?? message;
    properties[parameter.name] = { ...read.schema, ...(text && { description: text }) };
    if (read.required) required.push(parameter.name);
  }
  for (const name of help?.parameters.keys() ?? [])
    if (!one.parameters.some((parameter) => parameter.name.toLowerCase() === name))
      problem(`.PARAMETER ${name} of ${one.name} is not one of its parameters.`);
  const output = one.attributes.find(({ name }) => /^outputtype$/i.test(name))?.arguments;
  const returns = help?.returns ?? (output === undefined ? undefined : outputType(output));
  return {
    name: one.name,
    description: help?.description ?? "",
    parameters: {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    ...(returns !== undefined && { returns }),
    raises: [],
    wantsContext,
  };
}

/** Function names are case-insensitive; of two with the same name PowerShell uses the later one. */
function lastOfEachName(functions: readonly OutlineFunction[]): readonly OutlineFunction[] {
  return [...new Map(functions.map((one) => [one.name.toLowerCase(), one])).values()];
}

function helpMessage(attributes: OutlineFunction["attributes"]): string | undefined {
  for (const { name, arguments: given } of attributes) {
    if (!/^parameter$/i.test(name) || given === undefined) continue;
    const message = attributeArguments(given).named.get("helpmessage");
    if (typeof message === "string") return message;
  }
  return undefined;
}

function outputType(given: string): { readonly type: string } | undefined {
  const type =
    /^\s*\[\s*([^\]]+(?:\[\])?)\s*\]/.exec(given)?.[1] ?? /^\s*['"]([^'"]+)/.exec(given)?.[1];
  return type === undefined ? undefined : { type };
}

/** Returns each `# TOOL_CONFIG: {…}`, in one line or a block comment, anywhere in the file. */
function readConfigs(
  { comments }: Outline,
  lineOf: (at: number) => number,
  problems: ScriptProblem[],
): readonly { readonly at: number; readonly value: RawPermissions & { title?: JsonValue } }[] {
  return comments.flatMap(({ start, text }) => {
    const found = /^(?:<#|#)\s*TOOL_CONFIG:\s*([^]*?)\s*(?:#>)?$/.exec(text);
    if (found === null) return [];
    const value = jsonObject(found[1] ?? "");
    if (value !== undefined) return [{ at: start, value }];
    const message = 'TOOL_CONFIG is not a JSON object, such as {"executionPolicy": "ask-always"}.';
    problems.push({ severity: "error", message, line: lineOf(start) });
    return [];
  });
}

function jsonObject(text: string): RawPermissions | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as RawPermissions) : undefined;
  } catch {
    return undefined;
  }
}

function lineCounter(source: string): (at: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1))
    starts.push(at + 1);
  return (at) => {
    const next = starts.findIndex((start) => start > at);
    return next === -1 ? starts.length : next;
  };
}
