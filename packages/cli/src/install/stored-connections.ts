import type { ConnectionService } from "@capstan/contract";
import { systemClock } from "@capstan/core/host";
import {
  type AddedConnectionStore,
  type Connections,
  type Credentials,
  type CredentialSource,
  openConnectionService,
  openCredentials,
  type SecretSealer,
  type SecretStore,
  refreshToken,
  withOAuthFetch,
} from "@capstan/connections";
import type { Store } from "@capstan/store";

/**
 * The principal of the user who runs the server. Programs that this user connected act for this
 * principal.
 */
const localPrincipal = "local";

/**
 * The credentials of connections, which are in the database. Connections exist before the database
 * is open; until then, no credential is stored.
 */
export function createStoredCredentials() {
  let opened: Credentials | undefined;
  const source: CredentialSource = {
    forRequest: (request) => opened?.forRequest(request) ?? Promise.resolve({ status: "none" }),
  };
  return {
    source,
    onScope: async (connection: string, owner: string, scope: string) =>
      opened?.wantScope(connection, owner, scope),

    /** Opens the credentials and the connections that users added. */
    async open(options: {
      readonly store: Store;
      readonly sealer: SecretSealer & { readonly rotate: () => void };
      readonly connections: Connections;
      /** Encrypts the values that are not in the database with the sealer's current key. */
      readonly encryptOthers?: () => {
        readonly count: number;
        readonly unreadable: readonly string[];
      };
      /** The address at which users open the page. @default only this machine's */
      readonly publicUrl?: string | undefined;
      /** Names of other tool groups. */
      readonly reserved: () => readonly string[];
      readonly log: (line: string) => void;
    }): Promise<ConnectionService> {
      const { store, sealer, connections, reserved, publicUrl, log } = options;
      const secrets = secretStore(store);
      const credentials = openCredentials({
        store: secrets,
        sealer,
        clock: systemClock,
        ownersFor,
        async refresh(name, credential, signal) {
          const connection = connections.find(name);
          if (connection?.type !== "http")
            return { status: "failed", reason: "the connection was removed" };
          return withOAuthFetch(connection, (fetch) =>
            refreshToken(credential, {
              fetch: (target, init) => fetch(target, { signal, ...init }),
              now: () => systemClock.now(),
            }),
          );
        },
      });
      opened = credentials;
      return openConnectionService({
        connections,
        credentials,
        added: addedStore(store),
        secrets,
        sealer,
        reserved,
        publicUrl,
        rotate: () => sealer.rotate(),
        encryptOthers: options.encryptOthers,
        clock: systemClock,
        log,
      });
    },
  };
}

/** Returns the owners whose credentials a principal uses: its own, its user's, the shared ones. */
function ownersFor(principal: string): readonly string[] {
  return [
    ...new Set([principal, ...(principal.startsWith("program:") ? [localPrincipal] : []), ""]),
  ];
}

function secretStore(store: Store): SecretStore {
  return {
    get: (key) => store.getCredential(keyOf(key)),
    list: (connection) => store.everyCredential({ connection }),
    async save(key, { sealed, state = "ready", expiresAt = null, ifRevision }) {
      const [outcome] = await store.write([
        { type: "save-credential", key: keyOf(key), sealed, state, expiresAt, ifRevision },
      ]);
      return outcome.status === "saved_credential" ? outcome.revision : undefined;
    },
    async claim(key, claim) {
      const [outcome] = await store.write([
        { type: "claim-credential", key: keyOf(key), ...claim },
      ]);
      if (outcome.status === "claimed_credential") return "claimed";
      return outcome.status === "taken" ? "taken" : "changed";
    },
    async remove(key) {
      const [outcome] = await store.write([{ type: "delete-credential", key: keyOf(key) }]);
      return outcome.status === "removed";
    },
  };
}

const keyOf = ({
  connection,
  owner,
  field,
}: {
  readonly connection: string;
  readonly owner: string;
  readonly field: string;
}) => ({ connection, owner, field });

function addedStore(store: Store): AddedConnectionStore {
  return {
    async list() {
      const all = await store.everyConnection();
      return all.flatMap((one) => ("name" in one ? one : []));
    },
    async save({ name, settings, by, isNew }) {
      const [outcome] = await store.write([{ type: "save-connection", name, settings, by, isNew }]);
      if (outcome.status === "refused") return { status: "refused", reason: outcome.reason };
      return { status: outcome.status === "saved_connection" ? "saved" : "not_found" };
    },
    async remove(name) {
      const [outcome] = await store.write([{ type: "delete-connection", name }]);
      return outcome.status === "removed";
    },
    onChanged(listener) {
      store.nodes?.subscribe(({ type }) => {
        if (type === "connections" || type === "missed") listener();
      });
    },
  };
}
