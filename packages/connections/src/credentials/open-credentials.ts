import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/core";
import { untilAborted } from "@capstan/core/host";
import { type Credential, credential, partsOf, type TokenSet } from "./credential.ts";
import type { CredentialAnswer, CredentialSource } from "./credential-source.ts";
import { needsSignInAgain, rejectedCredential, unreadableCredential } from "./credential-texts.ts";
import type { SecretKey, SecretSealer, SecretStore, StoredSecret } from "./secret-store.ts";

/** A credential with a token that expires. */
export type RefreshableCredential = Extract<
  Credential,
  { readonly type: "oauth" | "client_credentials" }
>;

/** The result of a refresh. `rejected`: a user must sign in again. `failed`: try again later. */
export type RefreshOutcome =
  | { readonly status: "refreshed"; readonly tokens: TokenSet }
  | { readonly status: "rejected" | "failed"; readonly reason: string };

/** Requests a new access token for a connection. */
export type Refresh = (
  connection: string,
  credential: RefreshableCredential,
  signal: AbortSignal,
) => Promise<RefreshOutcome>;

/** A stored credential without its secrets, for users. */
export interface CredentialDescription {
  readonly type: Credential["type"];
  /** Whether all users share it. */
  readonly isShared: boolean;
  /** `unreadable`: it was encrypted with another key. */
  readonly state: "ready" | "needs_sign_in" | "unreadable";
  /** The authorization server, for tokens. */
  readonly issuer?: string;
  readonly scope?: string;
  /** In ms since the epoch. */
  readonly updatedAt: number;
}

/** Time before its expiry at which a token is refreshed, in ms. */
const earlyMs = 60_000;
/** Time limit of a request for a token. It is shorter than the claim. */
const refreshMs = 30_000;
const claimMs = 60_000;
/** Interval for polling a refresh of another node, in ms. */
const waitMs = 200;

/** The stored credentials of an installation: see `openCredentials`. */
export type Credentials = ReturnType<typeof openCredentials>;

/**
 * Opens the stored credentials. They are decrypted only for a request, and for its owner.
 *
 * @param options.ownersFor the owners whose credentials a principal uses, the preferred one first
 */
export function openCredentials(options: {
  readonly store: SecretStore;
  readonly sealer: SecretSealer;
  readonly refresh: Refresh;
  readonly ownersFor: (principal: string) => readonly string[];
  readonly clock: Pick<Clock, "now">;
}) {
  const { store, sealer, refresh, ownersFor, clock } = options;
  const holder = randomUUID();
  const refreshing = new Map<string, Promise<CredentialAnswer>>();

  async function find(connection: string, principal: string): Promise<StoredSecret | undefined> {
    for (const owner of ownersFor(principal)) {
      const found = await store.get(keyOf(connection, owner));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const open = (secret: StoredSecret): Credential | undefined => {
    const text = openSecret(sealer, secret);
    if (text === undefined) return undefined;
    const read = credential.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  };

  /** Returns the stored credential as it is. */
  const answerOf = (found: StoredSecret | undefined): CredentialAnswer => {
    if (found === undefined) return { status: "none" };
    const given = open(found);
    if (given === undefined) return needs(unreadableCredential(found.connection));
    const parts = partsOf(given);
    if (found.state === "needs_sign_in" || parts === undefined)
      return needs(needsSignInAgain(found.connection));
    return { status: "ready", ...parts, revision: found.revision };
  };

  async function refreshNow(
    found: StoredSecret,
    given: RefreshableCredential,
  ): Promise<CredentialAnswer> {
    const { revision } = found;
    const giveUpAt = clock.now() + claimMs;
    for (;;) {
      const claim = await store.claim(found, { revision, holder, ms: claimMs });
      if (claim === "claimed") break;
      if (claim === "changed") return answerOf(await store.get(found));
      if (clock.now() > giveUpAt)
        return unavailable(found, "another server is still refreshing it");
      await sleep(waitMs);
    }
    const outcome = await refresh(found.connection, given, AbortSignal.timeout(refreshMs)).catch(
      (): RefreshOutcome => ({ status: "failed", reason: "the request failed" }),
    );
    if (outcome.status === "failed") {
      await store.claim(found, { revision, holder, ms: 0 });
      return unavailable(found, outcome.reason);
    }
    const isNew = outcome.status === "refreshed";
    await store.save(found, {
      sealed: isNew
        ? sealSecret(sealer, found, JSON.stringify({ ...given, tokens: outcome.tokens }))
        : found.sealed,
      state: isNew ? "ready" : "needs_sign_in",
      ifRevision: revision,
    });
    // Read it again: a user may have signed in or out meanwhile.
    return answerOf(await store.get(found));
  }

  function refreshOnce(
    found: StoredSecret,
    given: RefreshableCredential,
  ): Promise<CredentialAnswer> {
    const key = JSON.stringify([found.connection, found.owner]);
    const running =
      refreshing.get(key) ?? refreshNow(found, given).finally(() => refreshing.delete(key));
    refreshing.set(key, running);
    return running;
  }

  const source: CredentialSource = {
    async forRequest({ connection, owner, signal, rejected }) {
      const found = await find(connection, owner);
      const given = found && open(found);
      const answer = answerOf(found);
      if (found === undefined || given === undefined || found.state === "needs_sign_in")
        return answer;
      const isRejected = found.revision === rejected;
      if (given.type !== "oauth" && given.type !== "client_credentials")
        return isRejected ? needs(rejectedCredential(connection)) : answer;
      const { tokens } = given;
      const left = (tokens?.expiresAt ?? Infinity) - clock.now();
      const isUsable = tokens !== undefined && !isRejected && left > 0;
      if (isUsable && left > earlyMs) return answer;
      const refreshed = await untilAborted(refreshOnce(found, given), signal);
      return refreshed.status !== "ready" && isUsable ? answer : refreshed;
    },
  };

  return {
    ...source,

    /** Returns the credential that a principal uses, without its secrets. */
    async describe(
      connection: string,
      principal: string,
    ): Promise<CredentialDescription | undefined> {
      const found = await find(connection, principal);
      if (found === undefined) return undefined;
      const { state, updatedAt, owner } = found;
      const given = open(found);
      const about = { isShared: owner === "", updatedAt };
      if (given === undefined) return { type: "bearer", ...about, state: "unreadable" };
      const isToken = given.type === "oauth" || given.type === "client_credentials";
      const scope = isToken ? given.tokens?.scope : undefined;
      return {
        type: given.type,
        ...about,
        state,
        ...(isToken && { issuer: given.server.issuer }),
        ...(scope !== undefined && { scope }),
      };
    },

    /** Returns the decrypted credential of exactly this owner. Only for requests to its server. */
    async read(connection: string, owner: string): Promise<Credential | undefined> {
      const found = await store.get(keyOf(connection, owner));
      return found && open(found);
    },

    /** Stores a credential, in place of an earlier one. */
    async set(connection: string, owner: string, given: Credential): Promise<void> {
      const key = keyOf(connection, owner);
      await store.save(key, { sealed: sealSecret(sealer, key, JSON.stringify(given)) });
    },

    /** Deletes a credential. @returns whether there was one */
    remove: (connection: string, owner: string): Promise<boolean> =>
      store.remove(keyOf(connection, owner)),

    /** Adds the scopes that a server demands to those of the next sign-in. */
    async wantScope(connection: string, principal: string, scope: string): Promise<void> {
      const found = await find(connection, principal);
      const given = found && open(found);
      if (found === undefined || given?.type !== "oauth") return;
      const wanted = new Set([
        ...(given.wantedScope ?? given.tokens.scope ?? "").split(" "),
        ...scope.split(" "),
      ]);
      const text = JSON.stringify({
        ...given,
        wantedScope: [...wanted].filter(Boolean).join(" "),
      });
      const sealed = sealSecret(sealer, found, text);
      await store.save(found, { sealed, ifRevision: found.revision, state: found.state });
    },

    /**
     * Encrypts all secrets again with the sealer's current key.
     *
     * @returns how many were encrypted, and the connections whose secrets could not be decrypted
     */
    async encryptAgain(): Promise<{ readonly count: number; readonly unreadable: string[] }> {
      let count = 0;
      const unreadable = new Set<string>();
      for (const listed of await store.list())
        for (let found: StoredSecret | undefined = listed; found !== undefined;) {
          const text = openSecret(sealer, found);
          if (text === undefined) {
            unreadable.add(found.connection);
            break;
          }
          const { state, expiresAt, revision } = found;
          const sealed = sealSecret(sealer, found, text);
          const saved = await store.save(found, { sealed, state, expiresAt, ifRevision: revision });
          if (saved !== undefined) {
            count++;
            break;
          }
          found = await store.get(found);
        }
      return { count, unreadable: [...unreadable] };
    },
  };
}

const keyOf = (connection: string, owner: string): SecretKey => ({
  connection,
  owner,
  field: "credential",
});

/** The label binds a secret to its `SecretKey`: a copy under another one cannot be decrypted. */
function labelOf({ connection, owner, field }: SecretKey): string {
  return JSON.stringify(["connection", connection, owner, field]);
}

/** Encrypts a secret for its key. */
export function sealSecret(sealer: SecretSealer, key: SecretKey, text: string): string {
  return sealer.seal(labelOf(key), text);
}

/** Decrypts a secret; undefined if it was encrypted with another key or for another `SecretKey`. */
export function openSecret(sealer: SecretSealer, secret: StoredSecret): string | undefined {
  const opened = sealer.open(labelOf(secret), secret.sealed);
  return "text" in opened ? opened.text : undefined;
}

function needs(message: string): CredentialAnswer {
  return { status: "needs_sign_in", message };
}

function unavailable({ connection }: SecretKey, reason: string): CredentialAnswer {
  return {
    status: "unavailable",
    message: `The access token of ${connection} has expired and cannot be refreshed now: ${reason}. Try again later.`,
  };
}
