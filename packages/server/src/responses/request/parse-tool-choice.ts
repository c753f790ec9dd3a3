import type { JsonObject } from "@capstan/core";
import { type ChatOption, hostedFamily } from "@capstan/core/host";
import type { ServerGroup } from "@capstan/store";
import {
  badRequest,
  isObject,
  missingParameter,
  type RequestError,
  unsupportedValue,
  wrongType,
  shownType,
} from "../../http/errors.ts";
import { isBuiltIn } from "../client-tools/built-in-tools.ts";
import { formOf, modelName } from "../client-tools/tool-form.ts";
import type { RequestTools } from "./parse-tools.ts";

export type ChosenTool =
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "server"; readonly label: string; readonly name?: string }
  /** A tool of a hosted type. */
  | { readonly type: "hosted"; readonly hosted: string };

export type RequestToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | ChosenTool
  /** Only the listed tools can be called. */
  | {
      readonly type: "allowed";
      readonly mode: "auto" | "none" | "required";
      readonly tools: readonly ChosenTool[];
    };

const modes = ["none", "auto", "required"] as const;
type Mode = (typeof modes)[number];

interface ParsedToolChoice {
  readonly choice: RequestToolChoice;
  readonly echo: string | JsonObject;
}

/** Parses the tools that the model can or must call. The same request must declare them. */
export function parseToolChoice(given: unknown, tools: RequestTools): ParsedToolChoice {
  if (given === undefined || given === null) return { choice: { type: "auto" }, echo: "auto" };
  if (typeof given === "string") {
    const mode = modeOf(given, "tool_choice");
    return { choice: { type: mode }, echo: mode };
  }
  if (!isObject(given)) throw wrongType("tool_choice", "a string or an object", given);
  const declared = declaredTools(tools);
  if (given["type"] === "allowed_tools") return parseAllowed(given, declared);
  const choice = parseChosen(given, declared, "tool_choice");
  if (choice === undefined)
    throw badRequest(
      "tool_choice",
      `Invalid 'tool_choice': the server runs no tool of the type '${shownType(given["type"])}'. Choose another tool or "auto", or bind a tool to this type with 'hostedTools' in the configuration.`,
    );
  return { choice, echo: given as JsonObject };
}

/**
 * Returns the tool choice for the loop. The request's choice can also limit which tools the model
 * is offered, see `allowedTools`. If the choice names a server without a tool, the model must call
 * one of that server's tools.
 */
export function modelToolChoice(
  choice: RequestToolChoice,
  { servers, hosted }: Pick<RequestTools, "servers" | "hosted">,
): ChatOption["toolChoice"] {
  if (choice.type === "function") return choice;
  if (choice.type === "hosted") {
    const chosen = hosted.find(({ type }) => type === choice.hosted);
    return chosen === undefined ? "required" : { type: "tool", toolId: chosen.toolId };
  }
  if (choice.type === "server") {
    const group = servers.find(({ label }) => label === choice.label)?.group;
    if (choice.name === undefined || group === undefined) return "required";
    return { type: "tool", toolId: `${group}.${choice.name}` };
  }
  return choice.type === "allowed" ? choice.mode : choice.type;
}

function parseAllowed(
  given: { readonly [key: string]: unknown },
  declared: DeclaredTools,
): ParsedToolChoice {
  const mode = modeOf(given["mode"] ?? "auto", "tool_choice.mode");
  const list = given["tools"];
  if (list == null) throw missingParameter("tool_choice.tools");
  if (!Array.isArray(list)) throw wrongType("tool_choice.tools", "an array", list);
  const allowed = list.flatMap((tool: unknown, index): readonly ChosenTool[] => {
    const at = `tool_choice.tools[${index}]`;
    if (!isObject(tool)) throw wrongType(at, "an object", tool);
    return [parseChosen(tool, declared, at)].filter((chosen) => chosen !== undefined);
  });
  const echo = { ...given, mode } as JsonObject;
  return { choice: { type: "allowed", mode, tools: allowed }, echo };
}

/**
 * Returns undefined for a declared tool of an unknown type, because no model is offered such a
 * tool.
 */
function parseChosen(
  given: { readonly [key: string]: unknown },
  declared: DeclaredTools,
  at: string,
): ChosenTool | undefined {
  const { type } = given;
  if (typeof type !== "string") throw missingParameter(`${at}.type`);
  if (type === "function" || type === "custom") {
    const nested = isObject(given["function"]) ? given["function"]["name"] : undefined;
    const name = given["name"] ?? nested;
    if (typeof name !== "string") throw missingParameter(`${at}.name`);
    const { namespace } = given;
    const known = clientName(
      declared,
      typeof namespace === "string" ? { namespace, name } : { name },
    );
    if (known === undefined) throw undeclared(name);
    return { type: "function", name: known };
  }
  if (isBuiltIn(type)) {
    if (declared.names.has(type)) return { type: "function", name: type };
    // A search by the server is not offered to the model.
    if (type === "tool_search") return undefined;
    throw undeclared(type);
  }
  if (type === "mcp") {
    const { server_label: label, name } = given;
    if (typeof label !== "string") throw missingParameter(`${at}.server_label`);
    if (declared.labels.has(label))
      return { type: "server", label, ...(typeof name === "string" ? { name } : {}) };
    throw undeclared(label);
  }
  const hosted = hostedFamily(type);
  if (hosted !== undefined && declared.hosted.has(hosted)) return { type: "hosted", hosted };
  if (declared.carried.has(type)) return undefined;
  throw undeclared(type);
}

/** The tools of a request, indexed so that long lists of choices are found quickly. */
interface DeclaredTools {
  /** The names of the client's tools for the model. */
  readonly names: ReadonlySet<string>;
  /** These names, by the client's own names without a namespace. */
  readonly byOwnName: ReadonlyMap<string, readonly string[]>;
  readonly labels: ReadonlySet<string>;
  readonly hosted: ReadonlySet<string>;
  /** The types of declared tools that have no effect here. */
  readonly carried: ReadonlySet<unknown>;
}

function declaredTools({ client, forms, servers, hosted, carried }: RequestTools): DeclaredTools {
  const names = client.map((tool) => tool.function.name);
  const byOwnName = new Map<string, string[]>();
  for (const name of names) {
    const form = formOf(forms, name);
    if (!("name" in form)) continue;
    const same = byOwnName.get(form.name) ?? [];
    same.push(name);
    byOwnName.set(form.name, same);
  }
  return {
    names: new Set(names),
    byOwnName,
    labels: new Set(servers.map(({ label }) => label)),
    hosted: new Set(hosted.map(({ type }) => type)),
    carried: new Set(carried.map((tool) => tool["type"])),
  };
}

/** Returns a tool's name for the model. A namespace may be left out if that is unambiguous. */
function clientName(
  { names, byOwnName }: DeclaredTools,
  given: { readonly namespace?: string; readonly name: string },
): string | undefined {
  const name = modelName(given);
  if (names.has(name)) return name;
  if (given.namespace !== undefined) return undefined;
  const same = byOwnName.get(given.name) ?? [];
  return same.length === 1 ? same[0] : undefined;
}

function undeclared(what: string): RequestError {
  return badRequest("tool_choice", `Tool choice '${what}' not found in 'tools' parameter.`);
}

function modeOf(value: unknown, at: string): Mode {
  const known = modes.find((mode) => mode === value);
  if (known !== undefined) return known;
  throw unsupportedValue(at, value, modes);
}

/** Returns whether a tool choice lists tools or names a server, and so excludes all others. */
export function excludesOthers({ type }: RequestToolChoice): boolean {
  return type === "allowed" || type === "server" || type === "hosted";
}

/** Returns the tools that can be called. */
export function allowedTools(
  tools: RequestTools,
  choice: RequestToolChoice,
): Pick<RequestTools, "client" | "servers" | "hosted"> {
  if (choice.type !== "allowed" && choice.type !== "server" && choice.type !== "hosted")
    return tools;
  const chosen = choice.type === "allowed" ? choice.tools : [choice];
  const functions = new Set<string>();
  /** The chosen tools of each server; undefined if all of its tools are chosen. */
  const ofServers = new Map<string, Set<string> | undefined>();
  for (const tool of chosen) {
    if (tool.type === "function") functions.add(tool.name);
    if (tool.type !== "server") continue;
    const before = ofServers.has(tool.label) ? ofServers.get(tool.label) : new Set<string>();
    ofServers.set(tool.label, tool.name === undefined ? undefined : before?.add(tool.name));
  }
  const client = tools.client.filter(({ function: { name } }) => functions.has(name));
  const servers = tools.servers.flatMap((server): ServerGroup[] => {
    if (!ofServers.has(server.label)) return [];
    const names = ofServers.get(server.label);
    if (names === undefined) return [server];
    const before = server.allowedTools?.toolNames;
    const toolNames = before === undefined ? [...names] : before.filter((name) => names.has(name));
    return [{ ...server, allowedTools: { ...server.allowedTools, toolNames } }];
  });
  const hosted = tools.hosted.filter(({ type }) =>
    chosen.some((tool) => tool.type === "hosted" && tool.hosted === type),
  );
  return { client, servers, hosted };
}
