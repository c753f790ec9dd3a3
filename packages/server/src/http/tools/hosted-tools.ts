import type { RequestTool } from "@capstan/core";
import { hostedFamily } from "@capstan/core/host";
import type { ServerGroup } from "@capstan/store";
import { badRequest, RequestError } from "../errors.ts";
import type { HostedTools } from "../services.ts";

/** A tool that a request declares by its hosted type. */
export interface HostedTool {
  /** The family of the declared type: `web_search` also for its older names. */
  readonly type: string;
  /** The bound tool, `group.Tool`. */
  readonly toolId: string;
  /** The tool as the request declares it. */
  readonly tool: RequestTool;
}

/** Returns the tool that is bound to the type of a request's tool, or `undefined`. */
export function hostedTool(tool: RequestTool, bound: HostedTools): HostedTool | undefined {
  const type = hostedFamily(tool.type);
  const toolId = type !== undefined && Object.hasOwn(bound, type) ? bound[type] : undefined;
  return type === undefined || toolId === undefined ? undefined : { type, toolId, tool };
}

/** The beginning of the advice in errors, for hosted types that a setting can enable. */
const enablers: { readonly [type: string]: string } = {
  code_interpreter: 'Set "groups": {"code": true} in capstan.config.json, or bind',
};

/**
 * Returns the error for a tool of a hosted type to which the configuration binds no tool.
 *
 * @param at the path of the tool in the request
 */
export function unboundType(type: string, at: string): RequestError {
  const family = hostedFamily(type) ?? type;
  const enable = enablers[family] ?? "Bind";
  return new RequestError({
    param: `${at}.type`,
    code: "unsupported_parameter",
    message: `Unsupported tool: no tool of this server runs '${family}'. ${enable} a tool with "hostedTools": {"${family}": "GROUP.Tool"}.`,
  });
}

/** @throws RequestError if a request declares two tools of one hosted type */
export function requireOnce(tools: readonly HostedTool[]): void {
  const types = tools.map(({ type }) => type);
  const twice = types.find((type, index) => types.indexOf(type) < index);
  if (twice === undefined) return;
  const message = `Invalid 'tools': the request declares the type '${twice}' twice. Declare it once.`;
  throw badRequest("tools", message);
}

/** Returns the entry of a run's groups that offers a hosted tool, and no other tool of its group. */
export function hostedServer({ type, toolId }: HostedTool): ServerGroup {
  const dot = toolId.indexOf(".");
  const toolNames = [toolId.slice(dot + 1)];
  return { label: type, group: toolId.slice(0, dot), hosted: type, allowedTools: { toolNames } };
}
