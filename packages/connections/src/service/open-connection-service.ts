import type {
  ConnectionDetail,
  ConnectionOutcome,
  ConnectionService,
  ConnectionView,
} from "@capstan/contract";
import type { Clock, JsonObject } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { type ResolveHost, resolveBySystem } from "@capstan/sandbox";
import type { Credential } from "../credentials/credential.ts";
import { type Credentials, openSecret, sealSecret } from "../credentials/open-credentials.ts";
import type { SecretSealer, SecretStore } from "../credentials/secret-store.ts";
import type { Connection, HttpConnection } from "../definition/connection.ts";
import { privateHostsOf } from "../definition/private-hosts.ts";
import { findAuthorizationServer } from "../oauth/find-authorization-server.ts";
import { withOAuthFetch } from "../oauth/oauth-fetch.ts";
import { revokeToken } from "../oauth/revoke-token.ts";
import { openSignIns } from "../oauth/sign-in.ts";
import { SignInError } from "../oauth/sign-in-error.ts";
import type { Connections } from "../manage/connections.ts";
import { isPrivateService } from "../openapi/call/service-client.ts";
import type { OpenApiConnection } from "../openapi/definition/openapi-connection.ts";
import {
  type AddedSettings,
  addedSettings,
  connectionOf,
  type SecretSettings,
  secretSettings,
} from "./added-connection.ts";
import { connectionDetail, connectionView, digestOf, disabledView } from "./connection-views.ts";
import { findPrivateHosts } from "./find-private-hosts.ts";
import { readCredential, readNewConnection } from "./read-body.ts";

/** Stores the connections that users added. All nodes of an installation share it. */
export interface AddedConnectionStore {
  list(): Promise<readonly { readonly name: string; readonly settings: JsonObject }[]>;
  save(connection: {
    readonly name: string;
    readonly settings: JsonObject;
    /** The principal who adds it. */
    readonly by: string;
    readonly isNew: boolean;
  }): Promise<
    | { readonly status: "saved" | "not_found" }
    | { readonly status: "refused"; readonly reason: string }
  >;
  /** Deletes a connection with all secrets for it. */
  remove(name: string): Promise<boolean>;
  /** Calls the listener after another node possibly changed connections. @default never */
  onChanged?(listener: () => void): void;
}

/**
 * Opens the service with which users add connections and sign in. Connects the connections that are
 * stored.
 *
 * @param options.reserved names of other tool groups
 * @param options.rotate makes the sealer use a new key
 * @param options.encryptOthers encrypts the values that are not credentials with the new key
 */
export async function openConnectionService(options: {
  readonly connections: Connections;
  readonly credentials: Credentials;
  readonly added: AddedConnectionStore;
  readonly secrets: SecretStore;
  readonly sealer: SecretSealer;
  readonly reserved: () => readonly string[];
  readonly rotate: () => void;
  readonly encryptOthers?: (() => EncryptedAgain) | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly publicUrl?: string | undefined;
  /** @default the operating system's resolver */
  readonly resolve?: ResolveHost;
  readonly log: (line: string) => void;
}): Promise<ConnectionService> {
  const { resolve = resolveBySystem } = options;
  const { connections, credentials, added, secrets, sealer, reserved, clock, publicUrl } = options;
  const signIns = openSignIns({ store: secrets, sealer, credentials, clock, publicUrl });
  const configured = new Set(connections.status().map(({ name }) => name));
  let stored = new Map<string, AddedSettings>();

  const keyOfSecrets = (name: string) => ({ connection: name, owner: "", field: "settings" });

  async function secretsOfConnection(name: string): Promise<SecretSettings> {
    const found = await secrets.get(keyOfSecrets(name));
    if (found === undefined) return {};
    const text = openSecret(sealer, found);
    if (text === undefined) {
      options.log(
        `The secret settings of the connection ${name} were encrypted with another secret key. Restore the key, or remove the connection and add it again.`,
      );
      return {};
    }
    return secretSettings.parse(JSON.parse(text));
  }

  /** Reads the stored connections, which another node may have changed. */
  async function reload(): Promise<void> {
    const now = new Map<string, AddedSettings>();
    for (const { name, settings } of await added.list()) {
      const read = addedSettings.safeParse(settings);
      // A connection of the configuration replaces a stored one with the same name.
      if (read.success && !configured.has(name)) now.set(name, read.data);
    }
    stored = now;
    const enabled = [...now].filter(([, settings]) => settings.enabled);
    await connections.setAdded(
      await Promise.all(
        enabled.map(async ([name, settings]) =>
          connectionOf(name, settings, await secretsOfConnection(name)),
        ),
      ),
    );
  }

  async function viewOf(name: string, principal: string): Promise<ConnectionView | undefined> {
    const settings = stored.get(name);
    const source = settings === undefined ? "configuration" : "user";
    const status = connections.status().find((one) => one.name === name);
    if (status === undefined)
      return settings === undefined
        ? undefined
        : disabledView(name, {
            source,
            type: settings.type,
            server: serverOf(settings),
            private: isPrivate(connectionOf(name, settings, {})),
          });
    const connection = connections.find(name);
    return connectionView(status, {
      source,
      type: connection?.type ?? "openapi",
      private: connection !== undefined && isPrivate(connection),
      credential: await credentials.describe(name, principal),
    });
  }

  async function detail(name: string, principal: string): Promise<ConnectionDetail | undefined> {
    const view = await viewOf(name, principal);
    return view && connectionDetail(view, connections.tools(name), await connections.changes(name));
  }

  async function done(name: string, principal: string) {
    const value = await detail(name, principal);
    return value === undefined ? notFound : ({ status: "done", value } as const);
  }

  /** Decides which hosts of a new server may have a private address. */
  async function locate(
    settings: AddedSettings,
    accepts: { readonly isAccepted: boolean | undefined; readonly mayAccept: boolean },
  ) {
    if (settings.type !== "http") return { status: "located", settings } as const;
    const { url, oauth } = settings;
    const issuer = oauth?.issuer;
    const urls = { url, ...(issuer !== undefined && { oauth: { issuer } }) };
    const found = await findPrivateHosts(urls, { ...accepts, resolve });
    if (found.status === "private")
      return { status: "failed", code: "private_address", message: found.message } as const;
    return {
      status: "located",
      settings: { ...settings, privateHosts: [...found.hosts] },
    } as const;
  }

  const exists = (name: string) => stored.has(name) || configured.has(name);

  /** Returns a connection that can have credentials, because it sends requests. */
  function reachable(
    name: string,
  ):
    | { readonly status: "found"; readonly connection: HttpConnection | OpenApiConnection }
    | Failure {
    if (!exists(name)) return notFound;
    const connection = connections.find(name);
    if (connection !== undefined && connection.type !== "program")
      return { status: "found", connection };
    const message =
      connection === undefined
        ? "The connection is switched off: switch it on first."
        : "A program has no sign-in: its credentials are environment variables.";
    return { status: "conflict", message };
  }

  /** Returns a server with which users can sign in. */
  function httpOf(
    name: string,
  ): { readonly status: "found"; readonly connection: HttpConnection } | Failure {
    const found = reachable(name);
    if (found.status !== "found") return found;
    if (found.connection.type === "http") return { status: "found", connection: found.connection };
    return {
      status: "conflict",
      message: "An OpenAPI service has no sign-in: enter a key or a password instead.",
    };
  }

  async function changedCredential(name: string, owner: string, principal: string) {
    await connections.forget(name, owner === "" ? undefined : owner);
    await connections.check(name, principal);
  }

  async function revoke(connection: HttpConnection | undefined, given: Credential | undefined) {
    if (connection === undefined || given === undefined) return null;
    return (await withOAuthFetch(connection, (fetch) => revokeToken(given, fetch))) ?? null;
  }

  await reload();
  let isReloading = false;
  let reloadAgain = false;
  added.onChanged?.(() => {
    reloadAgain = true;
    if (isReloading) return;
    isReloading = true;
    void (async () => {
      while (reloadAgain) {
        reloadAgain = false;
        await reload();
      }
    })()
      .catch((thrown: unknown) =>
        options.log(
          `The connections that another node changed cannot be read: ${errorMessage(thrown)} The next request that lists connections reads them.`,
        ),
      )
      .finally(() => (isReloading = false));
  });

  return {
    states: () =>
      new Map(
        connections
          .status()
          .map(({ name, state, error }) => [name, { state, error: error ?? null }]),
      ),

    async list(principal) {
      await reload();
      const names = [...connections.status().map(({ name }) => name), ...stored.keys()];
      const views = [...new Set(names)].map((name) => viewOf(name, principal));
      return (await Promise.all(views)).filter((view) => view !== undefined);
    },

    async get(name, principal) {
      await reload();
      return detail(name, principal);
    },

    async create(body, principal, { mayApprove }) {
      const read = readNewConnection(body);
      if (read.status === "invalid") return read;
      const { name } = body;
      if (configured.has(name) || reserved().includes(name))
        return {
          status: "conflict",
          message: `There is already a tool group "${name}". Choose another name.`,
        };
      const accepts = { isAccepted: body.private, mayAccept: mayApprove };
      const located = await locate(read.settings, accepts);
      if (located.status === "failed") return located;
      const settings = {
        ...located.settings,
        // Otherwise removing a connection and adding it again would accept the changes of its tools.
        ...(!mayApprove && { reviewsFirst: true }),
      } as unknown as JsonObject;
      const saved = await added.save({ name, settings, by: principal, isNew: true });
      if (saved.status === "refused") return { status: "conflict", message: saved.reason };
      // Definitions that were accepted for an earlier connection do not apply.
      connections.removeDefinitions(name);
      if (Object.keys(read.secrets).length > 0) {
        const key = keyOfSecrets(name);
        const text = JSON.stringify(read.secrets);
        await secrets.save(key, { sealed: sealSecret(sealer, key, text) });
      }
      await reload();
      await connections.check(name, principal);
      return done(name, principal);
    },

    async change(name, body, principal) {
      await reload();
      const settings = stored.get(name);
      if (settings === undefined) return exists(name) ? isConfigured(name) : notFound;
      const { enabled = settings.enabled, tools = settings.tools ?? null } = body;
      const { trust_annotations: trustAnnotations = settings.trustAnnotations ?? false } = body;
      const { tools: _, ...rest } = settings;
      const changed: JsonObject = {
        ...rest,
        enabled,
        trustAnnotations,
        ...(tools !== null && { tools: [...tools] }),
      };
      const saved = await added.save({
        name,
        settings: changed,
        by: principal,
        isNew: false,
      });
      if (saved.status !== "saved") return notFound;
      await reload();
      return done(name, principal);
    },

    async remove(name) {
      await reload();
      if (!stored.has(name)) return exists(name) ? isConfigured(name) : notFound;
      const connection = connections.find(name);
      const http = connection?.type === "http" ? connection : undefined;
      for (const { owner, field } of await secrets.list(name))
        if (field === "credential") await revoke(http, await credentials.read(name, owner));
      await added.remove(name);
      await reload();
      connections.removeDefinitions(name);
      return { status: "done", value: undefined };
    },

    async check(name, principal) {
      await reload();
      if (!exists(name)) return notFound;
      await connections.check(name, principal);
      return done(name, principal);
    },

    async accept(name, digest, principal) {
      await reload();
      if (!exists(name)) return notFound;
      if (digestOf(connections.tools(name), await connections.changes(name)) !== digest)
        return {
          status: "conflict",
          message: "The server has changed its tools again. Read the changes again.",
        };
      connections.accept(name);
      return done(name, principal);
    },

    async setCredential(name, body, principal) {
      await reload();
      const found = body.type === "client_credentials" ? httpOf(name) : reachable(name);
      if (found.status !== "found") return found;
      const { connection } = found;
      const isShared = connection.type === "http" && connection.shared === true;
      const owner = body.shared === true || isShared ? "" : principal;
      if (body.type === "client_credentials" && connection.type === "http") {
        const { client_id, client_secret, scope } = body;
        if (client_id === "" || client_secret === "")
          return { status: "invalid", field: "client_id", message: "expected a text." };
        return attempt(async () => {
          const server = await withOAuthFetch(connection, (fetch) =>
            findAuthorizationServer({
              name,
              url: new URL(connection.url),
              settings: { ...connection.oauth, ...(scope !== undefined && { scope }) },
              fetch,
            }),
          );
          await credentials.set(name, owner, {
            type: "client_credentials",
            server: server.server,
            client: { client_id, client_secret },
            ...(server.resource !== undefined && { resource: server.resource }),
            ...(scope !== undefined && { scope }),
          });
          await changedCredential(name, owner, principal);
          return done(name, principal);
        });
      }
      if (body.type === "client_credentials") return notFound;
      const read = readCredential(body);
      if (read.status === "invalid") return read;
      await credentials.set(name, owner, read.credential);
      await changedCredential(name, owner, principal);
      return done(name, principal);
    },

    async removeCredential(name, { shared }, principal) {
      await reload();
      if (!exists(name)) return notFound;
      const connection = connections.find(name);
      const isShared = shared || (connection?.type === "http" && connection.shared === true);
      const owner = isShared ? "" : principal;
      const given = await credentials.read(name, owner);
      if (!(await credentials.remove(name, owner))) return notFound;
      const http = connection?.type === "http" ? connection : undefined;
      const revoked = await revoke(http, given);
      await connections.forget(name, owner === "" ? undefined : owner);
      const object = "connection.credential.deleted" as const;
      return { status: "done", value: { object, name, deleted: true, revoked } };
    },

    async signIn(name, { redirect_uri: redirectUri, shared }, principal) {
      await reload();
      const found = httpOf(name);
      if (found.status !== "found") return found;
      const { connection } = found;
      const credentialOwner = shared === true || connection.shared === true ? "" : principal;
      return attempt(async () => {
        const started = await withOAuthFetch(connection, (fetch) =>
          signIns.start({ connection, principal, credentialOwner, redirectUri, fetch }),
        );
        const { type, url, state } = started;
        return {
          status: "done",
          value: {
            object: "connection.sign_in",
            type,
            url,
            state,
            user_code: started.type === "device" ? started.userCode : null,
            interval_seconds: started.type === "device" ? started.intervalSeconds : null,
          },
        };
      });
    },

    async finishSignIn(body, principal) {
      await reload();
      const name = signIns.connectionOf(body.state);
      const found = httpOf(name);
      if (found.status !== "found") return found;
      return attempt(async () => {
        const finished = await withOAuthFetch(found.connection, (fetch) =>
          signIns.finish({ ...body, principal, fetch }),
        );
        const isDone = finished.status === "signed_in";
        if (isDone) await changedCredential(name, "", principal);
        return {
          status: "done",
          value: {
            object: "connection.sign_in.result",
            status: finished.status,
            name,
            issuer: isDone ? finished.issuer : null,
            interval_seconds: isDone ? null : finished.intervalSeconds,
          },
        };
      });
    },

    async rotateKey() {
      options.rotate();
      const { count, unreadable } = await credentials.encryptAgain();
      const others = options.encryptOthers?.() ?? { count: 0, unreadable: [] };
      return {
        object: "connection.key",
        encrypted: count + others.count,
        unreadable: [...unreadable, ...others.unreadable],
      };
    },

    clientDocument() {
      if (publicUrl?.startsWith("https://") !== true) return undefined;
      return {
        client_id: new URL("/connections/client.json", publicUrl).href,
        client_name: "Capstan",
        redirect_uris: [new URL("/", publicUrl).href],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        application_type: "web",
      };
    },
  };
}

/** The number of values that were encrypted, and the names of those that no key decrypts. */
interface EncryptedAgain {
  readonly count: number;
  readonly unreadable: readonly string[];
}

type Failure = Exclude<ConnectionOutcome<never>, { readonly status: "done" }>;

const notFound: Failure & { readonly status: "not_found" } = { status: "not_found" };

function isConfigured(name: string): Failure {
  return {
    status: "conflict",
    message: `The connection ${name} is in the configuration of the server: its administrator changes it in capstan.config.json.`,
  };
}

async function attempt<T>(
  work: () => Promise<ConnectionOutcome<T>>,
): Promise<ConnectionOutcome<T>> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof SignInError)
      return { status: "failed", code: thrown.code, message: thrown.message };
    return {
      status: "failed",
      code: "sign_in_failed",
      message: `The authorization server cannot be reached: ${errorMessage(thrown).slice(0, 300)}`,
    };
  }
}

/** Returns whether a server may have a private address. */
function isPrivate(connection: Connection | OpenApiConnection): boolean {
  if (connection.type === "openapi") return isPrivateService(connection);
  return connection.type === "http" && privateHostsOf(connection).length > 0;
}

/** Returns the address without its query, which can be secret, or the program. */
function serverOf(settings: AddedSettings): string {
  if (settings.type === "program") return settings.command;
  const { origin, pathname } = new URL(settings.url);
  return origin + pathname;
}
