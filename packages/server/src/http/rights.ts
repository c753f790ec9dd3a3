import type { Right } from "@capstan/contract";
import type { Context } from "hono";
import { loosensApproval } from "../runs/request/server-group.ts";
import type { RunRequest } from "../runs/request/run-request.ts";
import { RequestError } from "./errors.ts";
import type { Environment, Services } from "./services.ts";

export type { Right };

/** A route and the right that its requests need. */
export interface RouteRight {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /**
   * `terminal`: only a terminal of the user who runs the server; `none`: also requests without a
   * key.
   */
  readonly needs: Right | "terminal" | "none";
  /**
   * The right for a request that loosens a restriction, for example by allowing a call. @default
   * `needs`
   */
  readonly toLoosen?: Right;
}

/** Every route of the server except the files of the page. A route that is not here is not served. */
export const routeRights: readonly RouteRight[] = [
  { method: "GET", path: "/healthz", needs: "none" },
  // The published contract has no data of a user.
  { method: "GET", path: "/openapi.json", needs: "none" },
  { method: "GET", path: "/docs", needs: "none" },
  // Authorization servers read this OAuth client metadata, which is public.
  { method: "GET", path: "/connections/client.json", needs: "none" },

  { method: "POST", path: "/v1/pairings", needs: "terminal" },
  // A code that a terminal printed authenticates the request.
  { method: "POST", path: "/v1/sessions", needs: "none" },
  { method: "GET", path: "/v1/sessions", needs: "terminal" },
  { method: "DELETE", path: "/v1/sessions/:id", needs: "terminal" },

  { method: "GET", path: "/v1/capstan", needs: "ask" },
  { method: "GET", path: "/v1/models", needs: "ask" },
  { method: "GET", path: "/v1/models/:id{.+}", needs: "ask" },
  { method: "GET", path: "/v1/tools", needs: "ask" },
  { method: "GET", path: "/v1/events", needs: "ask" },
  { method: "GET", path: "/v1/usage", needs: "ask" },
  { method: "GET", path: "/v1/preferences", needs: "ask" },
  { method: "PUT", path: "/v1/preferences", needs: "ask" },

  // Loosens restrictions with `approve: true`, and with `require_approval: "never"`.
  { method: "POST", path: "/v1/responses", needs: "ask", toLoosen: "approve" },
  // These routes only count and summarise. They run no tool.
  { method: "POST", path: "/v1/responses/input_tokens", needs: "ask" },
  { method: "POST", path: "/v1/responses/compact", needs: "ask" },
  { method: "GET", path: "/v1/responses/:id", needs: "ask" },
  { method: "DELETE", path: "/v1/responses/:id", needs: "ask" },
  { method: "POST", path: "/v1/responses/:id/cancel", needs: "ask" },
  { method: "GET", path: "/v1/responses/:id/input_items", needs: "ask" },

  // Loosens restrictions with `require_approval: "never"`.
  { method: "POST", path: "/v1/chat/completions", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/chat/completions", needs: "ask" },
  { method: "GET", path: "/v1/chat/completions/:id", needs: "ask" },
  { method: "POST", path: "/v1/chat/completions/:id", needs: "ask" },
  { method: "GET", path: "/v1/chat/completions/:id/messages", needs: "ask" },
  { method: "DELETE", path: "/v1/chat/completions/:id", needs: "ask" },
  { method: "POST", path: "/v1/embeddings", needs: "ask" },

  { method: "GET", path: "/v1/files", needs: "ask" },
  { method: "POST", path: "/v1/files", needs: "ask" },
  { method: "GET", path: "/v1/files/:id", needs: "ask" },
  { method: "GET", path: "/v1/files/:id/content", needs: "ask" },
  { method: "POST", path: "/v1/files/:id/link", needs: "ask" },
  // The link's token authenticates the request.
  { method: "GET", path: "/v1/files/:id/download", needs: "none" },
  { method: "DELETE", path: "/v1/files/:id", needs: "ask" },
  { method: "GET", path: "/v1/containers/:id/files/:file/content", needs: "ask" },
  { method: "POST", path: "/v1/uploads", needs: "ask" },
  { method: "POST", path: "/v1/uploads/:id/parts", needs: "ask" },
  { method: "POST", path: "/v1/uploads/:id/complete", needs: "ask" },
  { method: "POST", path: "/v1/uploads/:id/cancel", needs: "ask" },

  { method: "GET", path: "/v1/vector_stores", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id", needs: "ask" },
  { method: "DELETE", path: "/v1/vector_stores/:id", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id/search", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id/files", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id/files", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id/files/:file", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id/files/:file", needs: "ask" },
  { method: "DELETE", path: "/v1/vector_stores/:id/files/:file", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id/files/:file/content", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id/file_batches", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id/file_batches/:batch", needs: "ask" },
  { method: "POST", path: "/v1/vector_stores/:id/file_batches/:batch/cancel", needs: "ask" },
  { method: "GET", path: "/v1/vector_stores/:id/file_batches/:batch/files", needs: "ask" },

  { method: "GET", path: "/v1/runs", needs: "ask" },
  { method: "GET", path: "/v1/runs/:id", needs: "ask" },
  { method: "GET", path: "/v1/runs/:id/events", needs: "ask" },
  { method: "GET", path: "/v1/runs/:id/calls", needs: "ask" },
  { method: "GET", path: "/v1/runs/:id/approvals", needs: "ask" },
  { method: "POST", path: "/v1/runs/:id/submit_tool_outputs", needs: "ask" },
  { method: "POST", path: "/v1/runs/:id/cancel", needs: "ask" },
  // Repeats the run's request with its `require_approval`.
  { method: "POST", path: "/v1/runs/:id/retry", needs: "ask", toLoosen: "approve" },
  { method: "POST", path: "/v1/runs/:id/calls/:callId/cancel", needs: "ask" },
  // `run_again` runs a call a second time.
  { method: "POST", path: "/v1/runs/:id/calls/:callId/outcome", needs: "ask", toLoosen: "approve" },

  { method: "GET", path: "/v1/conversations", needs: "ask" },
  { method: "GET", path: "/v1/conversations/search", needs: "ask" },
  { method: "POST", path: "/v1/conversations", needs: "ask" },
  { method: "GET", path: "/v1/conversations/:id", needs: "ask" },
  { method: "POST", path: "/v1/conversations/:id", needs: "ask" },
  { method: "DELETE", path: "/v1/conversations/:id", needs: "ask" },
  { method: "GET", path: "/v1/conversations/:id/runs", needs: "ask" },
  { method: "GET", path: "/v1/conversations/:id/items", needs: "ask" },
  { method: "POST", path: "/v1/conversations/:id/items", needs: "ask" },
  { method: "GET", path: "/v1/conversations/:id/items/:itemId", needs: "ask" },
  { method: "DELETE", path: "/v1/conversations/:id/items/:itemId", needs: "ask" },
  // A link publishes a conversation. So a program with a key for its own calls cannot create one.
  { method: "POST", path: "/v1/conversations/:id/share", needs: "approve" },
  { method: "GET", path: "/v1/conversations/:id/share", needs: "ask" },
  { method: "DELETE", path: "/v1/conversations/:id/share", needs: "ask" },
  { method: "GET", path: "/v1/shares", needs: "ask" },
  // The link's token authenticates the request.
  { method: "GET", path: "/v1/shared", needs: "none" },
  { method: "GET", path: "/v1/conversations/:id/variables", needs: "ask" },
  { method: "GET", path: "/v1/conversations/:id/variables/:name", needs: "ask" },
  { method: "PUT", path: "/v1/conversations/:id/variables/:name", needs: "ask" },
  { method: "DELETE", path: "/v1/conversations/:id/variables/:name", needs: "ask" },

  { method: "GET", path: "/v1/approvals", needs: "ask" },
  // Only users who can release a result under review can read it.
  { method: "GET", path: "/v1/approvals/:id", needs: "ask", toLoosen: "approve" },
  // Denying and withholding only tighten restrictions.
  { method: "POST", path: "/v1/approvals/:id", needs: "ask", toLoosen: "approve" },
  { method: "POST", path: "/v1/approvals/:id/preview", needs: "approve" },
  { method: "GET", path: "/v1/grants", needs: "ask" },
  { method: "DELETE", path: "/v1/grants/:id", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/overrides", needs: "ask" },
  { method: "PUT", path: "/v1/overrides", needs: "ask", toLoosen: "approve" },
  { method: "DELETE", path: "/v1/overrides/:id", needs: "ask", toLoosen: "approve" },

  { method: "GET", path: "/v1/agents", needs: "ask" },
  // Loosens restrictions with `require_approval: "never"`.
  { method: "POST", path: "/v1/agents", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/agents/:name", needs: "ask" },
  { method: "PUT", path: "/v1/agents/:name", needs: "ask", toLoosen: "approve" },
  { method: "DELETE", path: "/v1/agents/:name", needs: "ask" },

  { method: "GET", path: "/v1/assistants", needs: "ask" },
  // Loosens restrictions with `require_approval: "never"`.
  { method: "POST", path: "/v1/assistants", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/assistants/:id", needs: "ask" },
  { method: "POST", path: "/v1/assistants/:id", needs: "ask", toLoosen: "approve" },
  { method: "DELETE", path: "/v1/assistants/:id", needs: "ask" },

  { method: "POST", path: "/v1/threads", needs: "ask" },
  { method: "GET", path: "/v1/threads/:id", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id", needs: "ask" },
  { method: "DELETE", path: "/v1/threads/:id", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/fork", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/copy_to/:target", needs: "ask" },
  // Loosens restrictions with `require_approval: "never"`.
  { method: "POST", path: "/v1/threads/runs", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/threads/:id/runs", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/runs", needs: "ask", toLoosen: "approve" },
  { method: "GET", path: "/v1/threads/:id/runs/:runId", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/runs/:runId", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/runs/:runId/cancel", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/runs/:runId/submit_tool_outputs", needs: "ask" },
  { method: "GET", path: "/v1/threads/:id/runs/:runId/steps", needs: "ask" },
  { method: "GET", path: "/v1/threads/:id/runs/:runId/steps/:stepId", needs: "ask" },
  { method: "GET", path: "/v1/threads/:id/messages", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/messages", needs: "ask" },
  { method: "GET", path: "/v1/threads/:id/messages/:messageId", needs: "ask" },
  { method: "POST", path: "/v1/threads/:id/messages/:messageId", needs: "ask" },
  { method: "DELETE", path: "/v1/threads/:id/messages/:messageId", needs: "ask" },

  // Calls need approval as in any run, and a client's answer to a form covers only the call in it.
  { method: "GET", path: "/mcp", needs: "ask" },
  { method: "POST", path: "/mcp", needs: "ask" },
  { method: "DELETE", path: "/mcp", needs: "ask" },
  { method: "GET", path: "/mcp/groups/:group", needs: "ask" },
  { method: "POST", path: "/mcp/groups/:group", needs: "ask" },
  { method: "DELETE", path: "/mcp/groups/:group", needs: "ask" },

  // Keys of providers apply to all users, and the server sends requests to a custom address.
  { method: "GET", path: "/v1/providers", needs: "admin" },
  { method: "PUT", path: "/v1/providers/:id", needs: "admin" },
  { method: "DELETE", path: "/v1/providers/:id", needs: "admin" },

  { method: "GET", path: "/v1/connections", needs: "admin" },
  // Loosens restrictions with `trust_annotations`.
  { method: "POST", path: "/v1/connections", needs: "admin", toLoosen: "approve" },
  { method: "POST", path: "/v1/connections/sign_in", needs: "admin" },
  { method: "POST", path: "/v1/connections/rotate_key", needs: "admin" },
  { method: "GET", path: "/v1/connections/:name", needs: "admin" },
  { method: "PATCH", path: "/v1/connections/:name", needs: "admin", toLoosen: "approve" },
  { method: "DELETE", path: "/v1/connections/:name", needs: "admin" },
  { method: "POST", path: "/v1/connections/:name/check", needs: "admin" },
  { method: "POST", path: "/v1/connections/:name/accept", needs: "admin", toLoosen: "approve" },
  { method: "PUT", path: "/v1/connections/:name/credential", needs: "admin" },
  { method: "DELETE", path: "/v1/connections/:name/credential", needs: "admin" },
  { method: "POST", path: "/v1/connections/:name/sign_in", needs: "admin" },

  { method: "GET", path: "/v1/scripts", needs: "admin" },
  { method: "POST", path: "/v1/scripts", needs: "admin" },
  { method: "GET", path: "/v1/scripts/events", needs: "admin" },
  { method: "POST", path: "/v1/scripts/check", needs: "admin" },
  { method: "GET", path: "/v1/scripts/environment", needs: "admin" },
  { method: "PUT", path: "/v1/scripts/environment/:name", needs: "admin" },
  { method: "DELETE", path: "/v1/scripts/environment/:name", needs: "admin" },
  { method: "GET", path: "/v1/scripts/:id", needs: "admin" },
  { method: "PUT", path: "/v1/scripts/:id", needs: "admin" },
  { method: "DELETE", path: "/v1/scripts/:id", needs: "admin" },
  { method: "GET", path: "/v1/scripts/:id/files", needs: "admin" },
  { method: "POST", path: "/v1/scripts/:id/restore", needs: "admin" },
  { method: "POST", path: "/v1/scripts/:id/approve", needs: "admin", toLoosen: "approve" },
  { method: "POST", path: "/v1/scripts/:id/revoke", needs: "admin" },
  { method: "GET", path: "/v1/scripts/:id/calls", needs: "admin" },
  { method: "POST", path: "/v1/scripts/:id/calls", needs: "admin" },
];

const advice: { readonly [right in Right | "terminal"]: string } = {
  terminal: 'Use "capstan pair" on the machine of the server.',
  ask: 'Give the key the right "ask" in CAPSTAN_API_KEYS.',
  approve:
    'Answer in a paired browser or terminal ("capstan pair" prints a link that pairs a browser), or give the key the right "approve" in CAPSTAN_API_KEYS.',
  admin:
    'Use a paired browser or terminal ("capstan pair" prints a link that pairs a browser), or give the key the right "admin" in CAPSTAN_API_KEYS.',
};

/** Returns whether a request has the right to loosen restrictions. */
export function mayApprove(context: Context<Environment>): boolean {
  return context.get("rights").includes("approve");
}

/**
 * Checks that a request does not disable a tool's approval requirement, which needs the right
 * `approve`.
 *
 * @throws RequestError `right_missing`
 */
export function requireNoLoosening({ servers }: Pick<RunRequest, "servers">): void {
  if (servers.some((server) => loosensApproval(server.requireApproval)))
    throw rightMissing("approve", "'require_approval': \"never\"");
}

/**
 * Checks that a user may switch on the groups that only administrators may switch on.
 *
 * @throws RequestError `right_missing`
 */
export function requireSwitchRight(
  context: Context<Environment>,
  { groups, groupDefaults }: Pick<Services, "groups" | "groupDefaults">,
  switched: { readonly [group: string]: boolean } = {},
): void {
  if (context.get("rights").includes("admin")) return;
  const guarded = groups().find(
    ({ name, needsAdmin = false }) =>
      needsAdmin && switched[name] === true && groupDefaults[name] !== true,
  );
  if (guarded !== undefined)
    throw rightMissing("admin", `Switching on the group "${guarded.name}", which runs code,`);
}

/** Returns the error for a missing right, with the way to get that right. */
export function rightMissing(right: Right | "terminal", what: string): RequestError {
  return new RequestError({
    status: 403,
    type: "permission_error",
    code: "right_missing",
    param: "authorization",
    message: `${what} needs the right "${right}", which this request does not have. ${advice[right]}`,
  });
}
