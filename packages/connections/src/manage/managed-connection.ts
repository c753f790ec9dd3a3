import { setImmediate as nextTurn } from "node:timers/promises";
import { inTurns } from "@capstan/core/base";
import { loadSchemaChecks, untilAborted } from "@capstan/core/host";
import type { ToolGroup } from "@capstan/core";
import type { DefinitionFiles } from "../accepted/definition-files.ts";
import type { StoredConnection } from "../accepted/stored-connection.ts";
import type { OpenClient } from "../client/open-client.ts";
import { compareTools, needsAcceptance, type ToolChanges } from "../definition/compare-tools.ts";
import { type Connection, defaultRefreshMinutes, identityOf } from "../definition/connection.ts";
import type { ServerTool } from "../definition/server-tool.ts";
import { toolReadingSteps } from "../definition/read-tools.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { addressOf, connectionGroup } from "../tools/connection-group.ts";
import type { ConnectionStatus } from "./connection-status.ts";
import { openSession } from "./open-session.ts";
import type { SessionHost } from "./session-host.ts";
import { OwnerSession } from "./owner-session.ts";

/** Minimum time between two reads of a list that the server reports as changed, in milliseconds. */
const listIntervalMs = 10_000;
/** The time after which reading a list waits for the next turn of the event loop, in milliseconds. */
const turnMs = 20;
/** The maximum number of simultaneous sessions of a connection. */
const mostSessions = 20;

/** The dependencies of a connection. */
interface ManagedConnectionOptions {
  readonly connection: Connection;
  readonly files: DefinitionFiles<StoredConnection>;
  readonly host: SessionHost;
  /** Called after the tools of the connection changed. */
  readonly onChange: () => void;
}

/** One connection with its sessions, its definitions and its tool group. */
export class ManagedConnection {
  group: ToolGroup;
  #stored: StoredConnection | undefined;
  readonly #sessions = new Map<string, OwnerSession>();
  #listing: Promise<void> | undefined;
  #listAgain: NodeJS.Timeout | undefined;
  #listedAt = -Infinity;
  #lastError: ConnectionError | undefined;
  #isClosed = false;
  readonly #options: ManagedConnectionOptions;

  constructor(options: ManagedConnectionOptions) {
    this.#options = options;
    this.#stored = this.#read();
    this.group = this.#makeGroup();
  }

  get connection(): Connection {
    return this.#options.connection;
  }

  get isListed(): boolean {
    return this.#stored !== undefined;
  }

  /** The tools as the server listed them last. */
  get listed(): readonly ServerTool[] {
    return this.#stored?.listed ?? [];
  }

  /** The changes that a user has not accepted yet. */
  get changes(): ToolChanges {
    return compareTools(this.#stored?.accepted ?? [], this.#stored?.listed ?? []);
  }

  get status(): ConnectionStatus {
    const { connection } = this.#options;
    const { added, changed } = this.changes;
    const waiting = [...added, ...changed.map(({ to }) => to)].map(({ safeName }) => safeName);
    const states = [...this.#sessions.values()].map(({ state }) => state);
    const error = this.#lastError;
    return {
      name: connection.name,
      server: addressOf(connection),
      state: this.#state(states, waiting),
      ...(error !== undefined && { error: error.message }),
      tools: (this.#stored?.listed.length ?? 0) - waiting.length,
      waiting,
      notes: this.#stored?.notes ?? [],
      missing: connection.missing ?? [],
      sessions: states.filter((state) => state === "ready").length,
    };
  }

  #state(
    states: readonly OwnerSession["state"][],
    waiting: readonly string[],
  ): ConnectionStatus["state"] {
    if ((this.#options.connection.missing ?? []).length > 0) return "not_configured";
    if (this.#lastError?.data.code === "sign_in_needed") return "needs_sign_in";
    if (waiting.length > 0) return "needs_acceptance";
    for (const state of ["ready", "connecting", "backing_off"] as const)
      if (states.includes(state)) return state;
    return "idle";
  }

  /**
   * Connects and reads the list of tools, also if a session is open. Never throws; `status` has the
   * failure.
   *
   * @param owner whose credentials are used. @default those that all users share; then disconnects
   */
  async check(owner?: string): Promise<void> {
    const { signal } = new AbortController();
    const used = owner ?? "capstan:list";
    await this.list(used, signal).catch((thrown: unknown) => {
      if (thrown instanceof ConnectionError) return;
      this.#lastError = this.#notListed();
    });
    if (this.connection.shared === true || owner !== undefined) return;
    await this.#endSession(used);
  }

  /** Reads the list of tools again, also if a session is open. @throws ConnectionError */
  async list(owner: string, signal: AbortSignal): Promise<void> {
    const before = this.#listedAt;
    await this.use(owner, signal, async (client) => {
      if (this.#listedAt === before) await untilAborted(this.#list(client), signal);
    });
  }

  /** Ends the session of an owner, or all, after a change of the credentials. */
  async forget(owner?: string): Promise<void> {
    this.#lastError = undefined;
    const isAll = owner === undefined || this.connection.shared === true;
    const owners = isAll ? [...this.#sessions.keys()] : [owner];
    await Promise.all(owners.map((one) => this.#endSession(one)));
  }

  async #endSession(owner: string): Promise<void> {
    const session = this.#sessions.get(owner);
    this.#sessions.delete(owner);
    await session?.close();
  }

  /** Accepts the definitions that the server listed last. Call this only if a user decided so. */
  accept(): void {
    if (this.#stored === undefined) return;
    this.#store({ ...this.#stored, accepted: this.#stored.listed });
  }

  /** Reads the stored definitions again after another process changed them. */
  reload(): void {
    const read = this.#read();
    if (JSON.stringify(read) === JSON.stringify(this.#stored)) return;
    this.#stored = read;
    this.#changed();
  }

  async use<T>(
    owner: string,
    signal: AbortSignal,
    work: (client: OpenClient) => Promise<T>,
  ): Promise<T> {
    const { missing = [], name } = this.connection;
    if (missing.length > 0)
      throw new ConnectionError({
        code: "not_connected",
        message: `The connection ${name} needs the variable ${missing.join(", ")}.`,
      });
    const sessionOwner = this.connection.shared === true ? "" : owner;
    const session = this.#sessionOf(sessionOwner);
    try {
      const done = await session.use(signal, (client) => {
        this.#lastError = undefined;
        return work(client);
      });
      this.#listIfOld(sessionOwner);
      return done;
    } catch (thrown) {
      if (thrown instanceof ConnectionError && session.lastError !== undefined)
        this.#lastError = session.lastError;
      throw thrown;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#listAgain);
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
  }

  #sessionOf(owner: string): OwnerSession {
    const known = this.#sessions.get(owner);
    if (known !== undefined) return known;
    const { connection } = this.#options;
    if (this.#isClosed)
      throw new ConnectionError({ code: "not_connected", message: "Capstan is stopping." });
    if (this.#sessions.size >= mostSessions) this.#endOldest();
    const session: OwnerSession = new OwnerSession(async (onClose) => {
      const { host } = this.#options;
      const open = await openSession(connection, {
        owner,
        host,
        era: this.#stored?.era,
        onListChanged: () => this.#listSoon(owner),
        onClose,
      });
      try {
        await this.#list(open.client);
      } catch (thrown) {
        await open.close();
        throw thrown instanceof ConnectionError ? thrown : this.#notListed();
      }
      return open;
    });
    this.#sessions.set(owner, session);
    return session;
  }

  #notListed(): ConnectionError {
    return new ConnectionError({
      code: "not_connected",
      message: `The server of ${this.connection.name} does not list its tools.`,
      retryable: true,
    });
  }

  #endOldest(): void {
    const unused = [...this.#sessions].filter(([, session]) => !session.isUsed);
    const [oldest] = unused.sort(([, one], [, other]) => one.usedAt - other.usedAt);
    if (oldest === undefined)
      throw new ConnectionError({
        code: "not_connected",
        message: `${mostSessions} users already use ${this.connection.name}. Try again later.`,
        retryable: true,
      });
    this.#sessions.delete(oldest[0]);
    void oldest[1].close();
  }

  /**
   * Reads the list again, at most every ten seconds, even if the server reports changes more often.
   */
  #listSoon(
    owner: string,
    waitMs = Math.max(0, this.#listedAt + listIntervalMs - performance.now()),
  ): void {
    if (this.#isClosed || this.#listAgain !== undefined) return;
    this.#listAgain = setTimeout(() => {
      this.#listAgain = undefined;
      const session = this.#sessions.get(owner);
      if (session?.state !== "ready") return;
      void session
        .use(new AbortController().signal, (client) => this.#list(client))
        .catch(() => undefined);
    }, waitMs).unref();
  }

  /** Reads the list again if it is old: not all servers report changes. */
  #listIfOld(owner: string): void {
    const { refreshMinutes = defaultRefreshMinutes } = this.connection;
    if (performance.now() - this.#listedAt >= refreshMinutes * 60_000) this.#listSoon(owner, 0);
  }

  async #list(client: OpenClient): Promise<void> {
    await this.#listing;
    this.#listing = this.#readList(client).finally(() => (this.#listing = undefined));
    return this.#listing;
  }

  async #readList(client: OpenClient): Promise<void> {
    this.#listedAt = performance.now();
    const listed = await client.listTools();
    await loadSchemaChecks();
    const { tools, notes } = await inTurns(toolReadingSteps(listed), { turnMs, nextTurn });
    const { features, era } = client;
    const before = this.#stored;
    const changes = compareTools(before?.listed ?? [], tools);
    const isSame =
      before !== undefined &&
      !needsAcceptance(changes) &&
      changes.removed.length === 0 &&
      before.era === era &&
      JSON.stringify([before.features, before.notes]) === JSON.stringify([features, notes]);
    if (isSame) return;
    this.#store({
      identity: identityOf(this.connection),
      // A user with the right to approve added the connection: its first definitions are accepted.
      accepted: before?.accepted ?? (this.connection.reviewsFirst === true ? [] : tools),
      listed: tools,
      notes,
      features,
      era,
      listedAt: Date.now(),
    });
  }

  #read(): StoredConnection | undefined {
    const { connection, files } = this.#options;
    const stored = files.read(connection.name);
    return stored?.identity === identityOf(connection) ? stored : undefined;
  }

  #store(stored: StoredConnection): void {
    const { connection, files } = this.#options;
    this.#stored = stored;
    files.write(connection.name, stored);
    this.#changed();
  }

  #changed(): void {
    this.group = this.#makeGroup();
    this.#options.onChange();
  }

  #makeGroup(): ToolGroup {
    const { findModel } = this.#options.host;
    return connectionGroup(this.connection, this.#stored, {
      ...(findModel && { findModel }),
      use: (owner, signal, work) => this.use(owner, signal, work),
      isCurrent: ({ name, digest }) => {
        const same = (tool: { readonly name: string; readonly digest: string }) =>
          tool.name === name && tool.digest === digest;
        return (
          this.#stored !== undefined &&
          this.#stored.accepted.some(same) &&
          this.#stored.listed.some(same)
        );
      },
    });
  }
}
