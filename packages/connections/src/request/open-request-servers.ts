import { randomUUID } from "node:crypto";
import type { JsonValue } from "@capstan/core";
import { digest, untilAborted } from "@capstan/core/host";
import type { ListedServer, PinnedServer, RequestServers } from "@capstan/contract";
import type { HttpConnection } from "../definition/connection.ts";
import { ManagedConnection } from "../manage/managed-connection.ts";
import type { SessionHost } from "../manage/session-host.ts";
import { connectionGroup } from "../tools/connection-group.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { deniedServer, isNamedHost, type RequestServerSettings } from "./allow-server.ts";
import { memoryDefinitions, pinnedDefinitions, requestConnection } from "./pinned-session.ts";

/** Time limit for connecting and listing tools, in milliseconds. */
const listMs = 20_000;
/** The maximum number of servers that the runs of an owner use; the oldest is evicted. */
const mostServers = 100;
/** The maximum size of the pinned definitions of a server, in characters. */
const mostChars = 1_000_000;

/** A session that runs of an owner with the same URL and headers share. */
interface SharedSession {
  readonly key: string;
  readonly owner: string;
  readonly managed: ManagedConnection;
  readonly ids: Set<string>;
}

/**
 * Gives runs access to the MCP servers that their requests name. Values of headers
 * are in memory only, until `release`.
 */
export function openRequestServers(options: {
  readonly settings: RequestServerSettings;
  readonly host: Pick<SessionHost, "version" | "log">;
}): RequestServers & { readonly close: () => Promise<void> } {
  const { settings, host } = options;
  const sessions = new Map<string, SharedSession>();
  const byId = new Map<string, SharedSession>();

  const endSession = async (session: SharedSession) => {
    sessions.delete(session.key);
    await session.managed.close();
  };
  const release = (ids: readonly string[]) => {
    for (const id of ids) {
      const session = byId.get(id);
      byId.delete(id);
      session?.ids.delete(id);
      if (session?.ids.size === 0)
        void endSession(session).catch((thrown: unknown) => host.log(String(thrown)));
    }
  };
  const join = (id: string, owner: string, connection: HttpConnection): SharedSession => {
    const key = digest([owner, connection.url, { ...connection.headers }]);
    const known = sessions.get(key);
    const session = known ?? {
      key,
      owner,
      ids: new Set<string>(),
      managed: new ManagedConnection({
        connection: { ...connection, privateHosts: privateHostsIn(connection, settings) },
        files: memoryDefinitions(),
        host: {
          ...host,
          programs: { hidden: [], protected: [] },
          homes: "",
        },
        onChange: () => {},
      }),
    };
    sessions.set(key, session);
    session.ids.add(id);
    byId.set(id, session);
    const own = [...byId].filter(([, one]) => one.owner === owner).map(([one]) => one);
    release(own.slice(0, Math.max(0, own.length - mostServers)));
    return session;
  };
  const sessionOf = (server: PinnedServer, owner: string): SharedSession => {
    const known = byId.get(server.id);
    if (known?.owner === owner) return known;
    if (server.headerNames.length > 0) throw headersForgotten(server);
    // The settings may have changed since the run started.
    const denied = deniedServer(new URL(server.url), settings, { mayApprove: true });
    if (denied !== undefined) throw new ConnectionError({ code: "denied_host", message: denied });
    return join(server.id, owner, requestConnection(server, {}));
  };

  return {
    async list({ group, url, headers, toolNames }, { owner, mayApprove, signal: given }) {
      const denied = deniedServer(new URL(url), settings, { mayApprove });
      if (denied !== undefined) return { status: "denied", message: denied };
      const id = randomUUID();
      const signal = AbortSignal.any([given, AbortSignal.timeout(listMs)]);
      const session = join(id, owner, requestConnection({ group, url }, headers));
      try {
        await untilAborted(session.managed.list(owner, signal), signal);
      } catch (thrown) {
        release([id]);
        given.throwIfAborted();
        return failureOf(group, thrown);
      }
      const tools = session.managed.listed
        .filter(({ name }) => toolNames?.includes(name) ?? true)
        .map((tool) => ({
          name: tool.name,
          digest: tool.digest,
          definition: tool as unknown as JsonValue,
        }));
      const chars = JSON.stringify(tools).length;
      if (chars > mostChars) {
        release([id]);
        return {
          status: "failed",
          message: `The definitions of its ${tools.length} tools have ${chars} characters, and a run stores at most ${mostChars}. Select tools with 'allowed_tools'.`,
        };
      }
      const headerNames = Object.keys(headers);
      return { status: "listed", server: { id, group, url, headerNames, tools } };
    },
    group(server, owner) {
      return connectionGroup(requestConnection(server, {}), pinnedDefinitions(server), {
        use: async (_principal, signal, work) =>
          sessionOf(server, owner).managed.use(owner, signal, work),
        isCurrent: ({ name, digest: pinned }) =>
          byId
            .get(server.id)
            ?.managed.listed.some((tool) => tool.name === name && tool.digest === pinned) === true,
        afterChange: "Send the request again to use the new definition.",
      });
    },
    release,
    async close() {
      await Promise.all([...sessions.values()].map(endSession));
      byId.clear();
    },
  };
}

/** Returns the server's host if the settings name it: only that host may be private. */
function privateHostsIn(
  { url }: HttpConnection,
  settings: RequestServerSettings,
): readonly string[] {
  const own = new URL(url);
  return isNamedHost(own, settings) ? [own.host] : [];
}

function headersForgotten({ url, headerNames }: PinnedServer): ConnectionError {
  return new ConnectionError({
    code: "sign_in_needed",
    message: `The headers of ${new URL(url).host} are not stored, and this process no longer has them. The call was not sent. Send the request again with ${headerNames.join(", ")}.`,
  });
}

function failureOf(group: string, thrown: unknown): ListedServer {
  if (!(thrown instanceof ConnectionError))
    return {
      status: "failed",
      message: `The server of ${group} did not list its tools within ${listMs / 1_000} seconds.`,
    };
  const { code, message } = thrown.data;
  return { status: code === "sign_in_needed" ? "sign_in_needed" : "failed", message };
}
