import type {
  ConnectionCredentialView,
  ConnectionDetail,
  ConnectionToolView,
  ConnectionView,
} from "@capstan/contract";
import { digest } from "@capstan/core/host";
import type { CredentialDescription } from "../credentials/open-credentials.ts";
import type { ToolChanges } from "../definition/compare-tools.ts";
import type { ServerTool } from "../definition/server-tool.ts";
import type { ConnectionStatus } from "../manage/connection-status.ts";

/** Returns the view of a connection for a user with a credential. */
export function connectionView(
  status: ConnectionStatus,
  about: {
    readonly source: ConnectionView["source"];
    readonly type: ConnectionView["type"];
    readonly private: boolean;
    readonly credential: CredentialDescription | undefined;
  },
): ConnectionView {
  const { source, type, private: isPrivate, credential } = about;
  const { name, server, error, tools, waiting, notes, missing } = status;
  return {
    object: "connection",
    name,
    source,
    type,
    server,
    private: isPrivate,
    enabled: true,
    state: stateOf(status, credential),
    error: error ?? null,
    tools,
    waiting,
    notes,
    missing,
    credential: credential === undefined ? null : credentialView(credential),
  };
}

/** Returns the view of a connection that is not enabled. */
export function disabledView(
  name: string,
  about: Pick<ConnectionView, "source" | "type" | "server" | "private">,
): ConnectionView {
  return {
    object: "connection",
    name,
    ...about,
    enabled: false,
    state: "off",
    error: null,
    tools: 0,
    waiting: [],
    notes: [],
    missing: [],
    credential: null,
  };
}

/** Returns the state for one user. Other users may still have to sign in. */
function stateOf(
  { state, waiting }: ConnectionStatus,
  credential: CredentialDescription | undefined,
): ConnectionView["state"] {
  if (state === "not_configured") return state;
  if (credential !== undefined && credential.state !== "ready") return "needs_sign_in";
  const isRefreshed = credential?.type === "oauth" || credential?.type === "client_credentials";
  if (state !== "needs_sign_in" || !isRefreshed) return state;
  return waiting.length > 0 ? "needs_acceptance" : "idle";
}

function credentialView(credential: CredentialDescription): ConnectionCredentialView {
  const { type, isShared, state, issuer, scope, updatedAt } = credential;
  return {
    type,
    shared: isShared,
    state,
    issuer: issuer ?? null,
    scope: scope ?? null,
    updated_at: Math.floor(updatedAt / 1_000),
  };
}

/** Returns the view of a connection with its tools. */
export function connectionDetail(
  view: ConnectionView,
  tools: readonly ServerTool[],
  changes: ToolChanges | undefined,
): ConnectionDetail {
  const { added = [], removed = [], changed = [] } = changes ?? {};
  return {
    ...view,
    definitions: tools.map(toolView),
    changes: {
      added: added.map(toolView),
      removed: removed.map(toolView),
      changed: changed.map(({ from, to }) => ({ from: toolView(from), to: toolView(to) })),
    },
    digest: digestOf(tools, changes),
  };
}

/** Returns a digest of the definitions of a server's tools and of the changes that a user reads. */
export function digestOf(
  tools: readonly ServerTool[],
  { added = [], changed = [] }: Partial<ToolChanges> = {},
): string {
  const all = [...tools, ...added, ...changed.map(({ to }) => to)];
  return digest(all.map((tool) => [tool.name, tool.digest]));
}

function toolView(tool: ServerTool): ConnectionToolView {
  const {
    safeName,
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    digest: all,
  } = tool;
  return {
    name: safeName,
    title: title ?? null,
    description,
    parameters: inputSchema,
    output: outputSchema ?? null,
    annotations,
    digest: all,
  };
}
