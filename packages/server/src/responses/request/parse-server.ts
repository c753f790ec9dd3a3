import type { RequireApproval, ToolFilter, ServerGroup } from "@capstan/store";
import type { JsonObject } from "@capstan/core";
import { z } from "zod";
import { failed, invalidRequest, missingParameter, ok, type Parsed } from "../../http/api-error.ts";

import { issueError } from "./issue-error.ts";
import { withoutNulls } from "./without-nulls.ts";

export interface ParsedServer {
  readonly label: string;
  /** Absent where the URL is not one of this server's groups. */
  readonly server?: ServerGroup;
  readonly echo: JsonObject;
}

const filterSchema = z.object({
  tool_names: z.array(z.string()).nullish(),
  read_only: z.boolean().nullish(),
});

const serverSchema = z.object({
  server_label: z.string().min(1),
  server_url: z.string().nullish(),
  connector_id: z.string().nullish(),
  server_description: z.string().nullish(),
  allowed_tools: z.union([z.array(z.string()), filterSchema]).nullish(),
  require_approval: z
    .union([
      z.enum(["always", "never"]),
      z.object({ always: filterSchema.nullish(), never: filterSchema.nullish() }),
    ])
    .nullish(),
});

/**
 * A tool of type `mcp`: one of this server's groups, by `capstan://groups/NAME` or by the URL at
 * which this server offers it, or a server elsewhere.
 */
export function parseServer(
  tool: { readonly [key: string]: unknown },
  options: { readonly at: string; readonly origins: readonly string[] },
): Parsed<ParsedServer> {
  const { at, origins } = options;
  const result = serverSchema.safeParse(tool);
  if (!result.success) return failed(issueError(result.error.issues, tool, at));
  const body = result.data;
  if (body.server_url == null && body.connector_id == null) {
    return failed(missingParameter(`${at}.server_url`));
  }
  const label = body.server_label;
  // Never the authorization, nor headers, which may hold one.
  const echo = {
    type: "mcp",
    allowed_tools: (body.allowed_tools ?? null) as JsonObject | null,
    headers: null,
    require_approval: (body.require_approval ?? null) as JsonObject | null,
    server_description: body.server_description ?? null,
    server_label: label,
    server_url: body.server_url ?? null,
  };
  const group = groupOf(body.server_url ?? "", origins);
  if (group === undefined) return ok({ label, echo });
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(group)) {
    return failed(
      invalidRequest({
        param: `${at}.server_url`,
        code: "invalid_value",
        message: `Invalid '${at}.server_url': '${group}' is no tool group. Expected capstan://groups/NAME with a name that GET /v1/tools lists.`,
      }),
    );
  }
  const server: ServerGroup = {
    label,
    group,
    ...(body.allowed_tools == null ? {} : { allowedTools: toolFilter(body.allowed_tools) }),
    ...(body.require_approval == null
      ? {}
      : { requireApproval: requireApproval(body.require_approval) }),
  };
  return ok({ label, server, echo });
}

function groupOf(url: string, origins: readonly string[]): string | undefined {
  const own = /^capstan:\/\/groups\/([^?#]*?)\/?$/.exec(url);
  if (own !== null) return decoded(own[1] ?? "");
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  const path = /\/mcp\/groups\/([^/]+)\/?$/.exec(pathname);
  return path !== null && origins.includes(origin) ? decoded(path[1] ?? "") : undefined;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

type WireFilter = z.infer<typeof filterSchema>;

function toolFilter(filter: readonly string[] | WireFilter): ToolFilter {
  if (Array.isArray(filter)) return { toolNames: filter as readonly string[] };
  const { tool_names: toolNames, read_only: readOnly } = filter as WireFilter;
  return withoutNulls({ toolNames, readOnly });
}

function requireApproval(
  given: NonNullable<z.infer<typeof serverSchema>["require_approval"]>,
): RequireApproval {
  if (typeof given === "string") return given;
  const { always, never } = given;
  return {
    ...(always == null ? {} : { always: toolFilter(always) }),
    ...(never == null ? {} : { never: toolFilter(never) }),
  };
}
