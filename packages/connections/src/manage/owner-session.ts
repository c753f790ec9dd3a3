import { untilAborted } from "@capstan/core/host";
import type { OpenClient } from "../client/open-client.ts";
import { ConnectionError } from "../transport/connection-error.ts";

/** Milliseconds without a call after which a session ends. */
const idleMs = 10 * 60 * 1_000;
/** The delays between failed attempts to connect. */
const shortestDelayMs = 1_000;
const longestDelayMs = 60_000;

/** A client, and the function that ends its session. */
export interface OpenSession {
  readonly client: OpenClient;
  readonly close: () => Promise<void>;
}

/**
 * The session of one owner with a server: a process or an HTTP session. The first call opens it,
 * and parallel calls share it. It closes when idle. If it fails, a call opens it again after a
 * delay.
 */
export class OwnerSession {
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #failures = 0;
  #retryAt = 0;
  #lastError: ConnectionError | undefined;
  #users = 0;
  usedAt = performance.now();
  readonly #connect: (onClose: () => void) => Promise<OpenSession>;

  constructor(connect: (onClose: () => void) => Promise<OpenSession>) {
    this.#connect = connect;
  }

  get state(): "idle" | "connecting" | "ready" | "backing_off" {
    if (this.#open !== undefined) return "ready";
    if (this.#opening !== undefined) return "connecting";
    return performance.now() < this.#retryAt ? "backing_off" : "idle";
  }

  get lastError(): ConnectionError | undefined {
    return this.#lastError;
  }

  get isUsed(): boolean {
    return this.#users > 0 || this.#opening !== undefined;
  }

  /**
   * Runs work with the client, and keeps the session open meanwhile.
   *
   * @throws ConnectionError if there is no connection
   */
  async use<T>(signal: AbortSignal, work: (client: OpenClient) => Promise<T>): Promise<T> {
    this.#users++;
    clearTimeout(this.#idle);
    try {
      const { client } = await this.#opened(signal);
      return await work(client);
    } catch (thrown) {
      // The server no longer knows the session.
      if ((thrown as { readonly status?: unknown } | null)?.status === 404) await this.close();
      throw thrown;
    } finally {
      this.#users--;
      this.usedAt = performance.now();
      if (this.#users === 0) this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  }

  /** Ends the session. The next use opens a new one. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const opening = this.#opening;
    const open = this.#open ?? (await opening?.catch(() => undefined));
    this.#open = undefined;
    await open?.close();
  }

  async #opened(signal: AbortSignal): Promise<OpenSession> {
    if (this.#open !== undefined) return this.#open;
    const waitMs = this.#retryAt - performance.now();
    if (this.#opening === undefined && waitMs > 0 && this.#lastError !== undefined)
      throw new ConnectionError({
        ...this.#lastError.data,
        code: "not_connected",
        message: `${this.#lastError.message} Capstan tries again in ${Math.ceil(waitMs / 1_000)} seconds.`,
        retryable: true,
        retryAfterMs: Math.ceil(waitMs),
      });
    this.#opening ??= this.#attempt();
    return untilAborted(this.#opening, signal);
  }

  async #attempt(): Promise<OpenSession> {
    let isClosed = false;
    let open: OpenSession | undefined;
    const onClose = () => {
      isClosed = true;
      if (open !== undefined && this.#open === open) this.#open = undefined;
      void open?.close();
    };
    try {
      open = await this.#connect(onClose);
      this.#failures = 0;
      this.#lastError = undefined;
      if (!isClosed) this.#open = open;
      return open;
    } catch (thrown) {
      const delay = Math.min(shortestDelayMs * 2 ** this.#failures++, longestDelayMs);
      this.#retryAt = performance.now() + delay;
      this.#lastError =
        thrown instanceof ConnectionError
          ? thrown
          : new ConnectionError({ code: "not_connected", message: String(thrown) });
      throw thrown;
    } finally {
      this.#opening = undefined;
    }
  }
}
