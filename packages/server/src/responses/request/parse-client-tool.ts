import type { JsonObject, ToolDefinition } from "@capstan/core";
import { z } from "zod";
import type { RequestGrammars } from "../../grammar/request-grammars.ts";
import { checked, isObject, RequestError, wrongType, shownType } from "../../http/errors.ts";
import { checkDepth, checkedGrammar, customDefinition, toolName } from "../../http/parse-tool.ts";
import { withoutNulls } from "../../http/read-body.ts";
import { builtInDefinition, isBuiltIn } from "../client-tools/built-in-tools.ts";
import { type BuiltInType, modelName, type ToolForm } from "../client-tools/tool-form.ts";

/** A tool that the client runs. */
export interface ClientTool {
  readonly definition: ToolDefinition;
  readonly form: ToolForm;
  /** Whether it is offered only after a search. */
  readonly isDeferred: boolean;
}

/**
 * The client's tools that one member of `tools` declares, and that member as the response repeats
 * it.
 */
export interface ParsedClientTools {
  readonly tools: readonly ClientTool[];
  /** Whether the server searches the deferred tools. @default false */
  readonly isServerSearch?: true;
  readonly echo: JsonObject;
}

type Fields = { readonly [key: string]: unknown };

/** The position of a tool in its request, and the grammars of that request. */
interface ToolPosition {
  readonly at: string;
  readonly grammars: RequestGrammars;
}

/**
 * Parses a tool that the client runs. Returns `undefined` for other types.
 *
 * @throws RequestError for an invalid tool, and by name for one that cannot be honoured
 */
export function parseClientTool(
  tool: Fields,
  { at, grammars }: ToolPosition,
): ParsedClientTools | undefined {
  const { type } = tool;
  if (type === "function") return parseFunctionTool(tool, at);
  if (type === "custom") return parseCustomTool(tool, { at, grammars });
  if (type === "namespace") return parseNamespace(tool, { at, grammars });
  if (isBuiltIn(type)) return parseBuiltIn(type, tool, at);
  if (typeof type === "string" && type.startsWith("computer")) throw unsupportedComputer(at, type);
  return undefined;
}

function unsupportedComputer(at: string, type: string): RequestError {
  const message = `Unsupported tool: '${at}' is a '${type}'. This server offers no model control of a computer; declare a 'function' for each action instead.`;
  return new RequestError({ param: `${at}.type`, code: "unsupported_parameter", message });
}

const functionSchema = z.object({
  name: toolName,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
});

/** Parses a function, whose definition may also have the nested form of the Chat API. */
function parseFunctionTool(tool: Fields, at: string): ParsedClientTools {
  const nested =
    isObject(tool["function"]) && tool["name"] === undefined ? tool["function"] : undefined;
  const source = nested ?? tool;
  const where = nested === undefined ? at : `${at}.function`;
  const { name, description, parameters, strict, defer_loading } = checked(
    functionSchema,
    source,
    where,
  );
  checkDepth(parameters ?? {}, `${where}.parameters`);
  const definition: ToolDefinition = {
    type: "function",
    function: { name, ...withoutNulls({ description, parameters, strict }) },
  };
  const echo = {
    type: "function",
    name,
    description: description ?? null,
    parameters: (parameters ?? null) as JsonObject | null,
    strict: strict ?? null,
  };
  const form: ToolForm = { type: "function", name };
  return { tools: [{ definition, form, isDeferred: defer_loading === true }], echo };
}

const customSchema = z.object({
  name: toolName,
  description: z.string().nullish(),
  format: z
    .object({
      type: z.enum(["text", "grammar"]),
      syntax: z.string().nullish(),
      definition: z.string().nullish(),
    })
    .nullish(),
  defer_loading: z.boolean().nullish(),
});

/** Parses a custom tool, whose input is plain text. */
function parseCustomTool(tool: Fields, { at, grammars }: ToolPosition): ParsedClientTools {
  const { name, description, format, defer_loading } = checked(customSchema, tool, at);
  const grammar =
    format?.type === "grammar"
      ? checkedGrammar(withoutNulls(format), { at: `${at}.format`, grammars })
      : undefined;
  const definition = customDefinition({ name, description, grammar });
  const form: ToolForm = { type: "custom", name, ...(grammar !== undefined && { checked: true }) };
  const isDeferred = defer_loading === true;
  return { tools: [{ definition, form, isDeferred }], echo: tool as JsonObject };
}

const namespaceSchema = z.object({
  name: toolName,
  description: z.string().nullish(),
  tools: z.array(z.unknown()),
});

/** Parses a group of functions and custom tools. Their names for the model include the group's. */
function parseNamespace(tool: Fields, { at, grammars }: ToolPosition): ParsedClientTools {
  const { name: namespace, description, tools } = checked(namespaceSchema, tool, at);
  const parsed = tools.flatMap((each, index): readonly ClientTool[] => {
    const where = `${at}.tools[${index}]`;
    if (!isObject(each)) throw wrongType(where, "an object", each);
    const { type } = each;
    if (type === "function") return parseFunctionTool(each, where).tools;
    if (type === "custom") return parseCustomTool(each, { at: where, grammars }).tools;
    const message = `Unsupported tool: '${where}' is a '${shownType(type)}'. A namespace can contain tools of the types 'function' and 'custom'.`;
    throw new RequestError({ param: `${where}.type`, code: "unsupported_parameter", message });
  });
  // The description of the first tool also has the description of the group.
  const purpose = description == null || description === "" ? undefined : description;
  return {
    tools: parsed.map(({ definition, form, isDeferred }, index): ClientTool => {
      const { function: spec, custom } = definition;
      const note = index === 0 && purpose !== undefined ? [`(${namespace}: ${purpose})`] : [];
      const withNote = (text: string | undefined): string =>
        [...(text === undefined || text === "" ? [] : [text]), ...note].join("\n\n");
      const about = withNote(spec.description);
      return {
        definition: {
          ...definition,
          function: {
            ...spec,
            name: modelName({ namespace, name: spec.name }),
            ...(about !== "" && { description: about }),
          },
          ...(custom && { custom: { ...custom, description: withNote(custom.description) } }),
        },
        form: { ...form, namespace } as ToolForm,
        isDeferred,
      };
    }),
    echo: tool as JsonObject,
  };
}

const searchSchema = z.object({
  execution: z.enum(["client", "server"]).nullish(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

const shellSchema = z.object({
  environment: z.looseObject({ type: z.string() }).nullish(),
});

function ownSearch(param: string): RequestError {
  const message = `Unsupported field: '${param}' describes a search by the client. Leave it out, or set "execution": "client".`;
  return new RequestError({ param, code: "unsupported_parameter", message });
}

function parseBuiltIn(type: BuiltInType, tool: Fields, at: string): ParsedClientTools {
  const echo = tool as JsonObject;
  const one = (form: ToolForm, own?: Parameters<typeof builtInDefinition>[1]) => ({
    tools: [
      {
        definition: builtInDefinition(type, own),
        form: { ...form, checked: true as const },
        isDeferred: false,
      },
    ],
    echo,
  });
  if (type === "tool_search") {
    const { execution, description, parameters } = checked(searchSchema, tool, at);
    if (execution !== "client") {
      const own = description == null ? "parameters" : "description";
      if (description != null || parameters != null) throw ownSearch(`${at}.${own}`);
      return { tools: [], echo, isServerSearch: true };
    }
    checkDepth(parameters ?? {}, `${at}.parameters`);
    return one({ type }, withoutNulls({ description, parameters }));
  }
  if (type !== "shell") return one({ type });
  const { environment } = checked(shellSchema, tool, at);
  if (environment != null && environment.type !== "local") {
    const param = `${at}.environment.type`;
    const message = `Unsupported environment: '${param}' is '${environment.type.slice(0, 100)}'. This server has no containers; use {"type": "local"}, so that the client runs the commands.`;
    throw new RequestError({ param, code: "unsupported_parameter", message });
  }
  if (environment == null) return one({ type });
  const skills = skillsText(environment["skills"]);
  const { description = "" } = builtInDefinition(type).function;
  return one(
    { type, environment: environment as JsonObject },
    skills === "" ? {} : { description: `${description}\n\n${skills}` },
  );
}

/** Describes the skills of a local environment: folders with instructions that commands can read. */
function skillsText(skills: unknown): string {
  if (!Array.isArray(skills) || skills.length === 0) return "";
  const lines = skills.filter(isObject).map((skill) => {
    const [name, description, path] = [skill["name"], skill["description"], skill["path"]];
    return `- ${String(name)} (${String(path)}): ${String(description)}`;
  });
  return ["Skills, whose instructions are in their folders:", ...lines].join("\n");
}
