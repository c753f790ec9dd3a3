import type { ResolveHost, Sandbox } from "@capstan/sandbox";
import { openCredentials } from "../credentials/open-credentials.ts";
import type { Connection } from "../definition/connection.ts";
import { withOAuthFetch } from "../oauth/oauth-fetch.ts";
import { refreshToken } from "../oauth/request-token.ts";
import {
  type AddedConnectionStore,
  openConnectionService,
} from "../service/open-connection-service.ts";
import { memorySecrets } from "./memory-secrets.ts";
import { testConnections } from "./test-connections.ts";
import { testSealer } from "./test-sealer.ts";

/** Opens the service of connections with everything in memory. */
export async function testService(
  options: {
    readonly secrets?: ReturnType<typeof memorySecrets>;
    readonly added?: AddedConnectionStore;
    readonly connections?: readonly Connection[];
    readonly resolve?: ResolveHost;
    readonly sandbox?: Sandbox;
  } = {},
) {
  const {
    secrets = memorySecrets(),
    added = memoryAdded(),
    connections: configured = [],
    resolve,
    sandbox,
  } = options;
  const sealer = testSealer("key");
  const credentials = openCredentials({
    store: secrets,
    sealer,
    clock: Date,
    ownersFor: (principal) => [principal, ""],
    async refresh(name, given) {
      const connection = connections.find(name);
      if (connection?.type !== "http") return { status: "failed", reason: "it was removed" };
      return withOAuthFetch(connection, (fetch) => refreshToken(given, { fetch, now: Date.now }));
    },
  });
  const connections: ReturnType<typeof testConnections> = testConnections({
    connections: configured,
    credentials,
    onScope: (...demand) => credentials.wantScope(...demand),
    ...(resolve && { resolve }),
    ...(sandbox && { sandbox }),
  });
  const service = await openConnectionService({
    connections,
    credentials,
    added,
    secrets,
    sealer,
    reserved: () => ["files"],
    rotate: () => {},
    clock: Date,
    ...(resolve && { resolve }),
    log: (line) => void connections.log.push(line),
  });
  return {
    service,
    connections,
    credentials,
    secrets,
    added,
    async [Symbol.asyncDispose]() {
      await connections[Symbol.asyncDispose]();
    },
  };
}

/** Stores added connections in memory, for several nodes. */
export function memoryAdded(): AddedConnectionStore {
  const listeners: (() => void)[] = [];
  const rows = new Map<string, Parameters<AddedConnectionStore["save"]>[0]["settings"]>();
  return {
    list: () => Promise.resolve([...rows].map(([name, settings]) => ({ name, settings }))),
    save({ name, settings, isNew }) {
      if (isNew && rows.has(name))
        return Promise.resolve({ status: "refused", reason: "It exists." } as const);
      rows.set(name, settings);
      for (const listener of listeners) listener();
      return Promise.resolve({ status: "saved" } as const);
    },
    remove: (name) => {
      const isKnown = rows.delete(name);
      for (const listener of listeners) listener();
      return Promise.resolve(isKnown);
    },
    onChanged: (listener) => void listeners.push(listener),
  };
}
