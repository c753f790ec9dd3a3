import type { Context, Next } from "hono";
import type { ServerLimits } from "../runs/request/run-limits.ts";
import { RequestError } from "./errors.ts";
import type { Environment } from "./services.ts";

type BudgetLimits = Pick<ServerLimits, "bodyBytes" | "bytesAtOnce" | "bytesOfOne" | "streamsOfOne">;
type ApiContext = Context<Environment>;

/** Releases reserved bytes. Calling it again does nothing. */
export type Release = () => void;

interface Answer {
  readonly answer: object;
  readonly release: Release;
  readers: number;
}

/**
 * Counts the bytes of requests and responses in progress, per principal and in total. A principal
 * without requests or responses in progress is always admitted, whatever the size.
 */
export class MemoryBudget {
  readonly #limits: BudgetLimits;
  readonly #used = new Map<string, number>();
  readonly #answers = new Map<string, Answer>();
  readonly #reads = new Map<string, Promise<void>>();
  readonly #streams = new Map<string, number>();
  #total = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /**
   * @throws RequestError 429 if the principal's share is used up, 503 if the server's is; never if
   * `always` is set
   */
  take(principal: string, bytes: number, always = false): Release {
    const used = this.#used.get(principal) ?? 0;
    const { bytesAtOnce, bytesOfOne } = this.#limits;
    if (!always && used > 0 && used + bytes > bytesOfOne) throw shareUsed(bytesOfOne);
    // A full server still admits small requests, because they answer approvals and stop runs.
    if (!always && bytes > smallBytes && this.#total > 0 && this.#total + bytes > bytesAtOnce)
      throw full();
    this.#add(principal, bytes);
    let isTaken = true;
    return () => {
      if (isTaken) this.#add(principal, -bytes);
      isTaken = false;
    };
  }

  #add(principal: string, bytes: number): void {
    this.#total += bytes;
    const used = (this.#used.get(principal) ?? 0) + bytes;
    if (used === 0) this.#used.delete(principal);
    else this.#used.set(principal, used);
  }

  #share(key: string, shared: Answer): Release {
    shared.readers += 1;
    let isReading = true;
    return () => {
      if (!isReading) return;
      isReading = false;
      shared.readers -= 1;
      if (shared.readers > 0) return;
      this.#answers.delete(key);
      shared.release();
    };
  }

  /**
   * Reads a response and reserves its bytes while it is written. Requests for the same final
   * response share one copy. Other reads of a principal run one at a time, so that each principal
   * has at most one uncounted response in memory.
   *
   * @param options.isFinal whether the response with this id never changes
   * @param options.always whether to admit it even if the budget is used up
   * @param options.signal aborted if the reader disconnected; then nothing is read
   */
  async readAnswer<T extends object>(
    principal: string,
    options: {
      readonly id: string;
      readonly isFinal: boolean;
      readonly always: boolean;
      readonly signal?: AbortSignal;
      readonly read: () => Promise<T>;
    },
  ): Promise<{ readonly answer: T; readonly release: Release }> {
    const { id, isFinal, always, signal, read } = options;
    const key = `${principal} ${id}`;
    const known = () => {
      const shared = isFinal ? this.#answers.get(key) : undefined;
      return shared && { answer: shared.answer as T, release: this.#share(key, shared) };
    };
    return (
      known() ??
      (await this.readOneByOne(principal, async () => {
        signal?.throwIfAborted();
        const shared = known();
        if (shared !== undefined) return shared;
        const answer = await read();
        const release = this.take(principal, bytesOf(answer), always);
        if (!isFinal) return { answer, release };
        const first = { answer, release, readers: 0 };
        this.#answers.set(key, first);
        return { answer, release: this.#share(key, first) };
      }))
    );
  }

  /**
   * Counts an open stream of a principal and reserves its memory: two pages of events, whatever the
   * length of the stream. If the stream follows a new run, call this before the run starts.
   *
   * @param bytes the memory of a stream of short events @default 131,072
   * @throws RequestError 429 if the principal has too many open streams; the errors of `take`
   */
  takeStream(principal: string, bytes = streamBytes): Release {
    const open = this.#streams.get(principal) ?? 0;
    const { streamsOfOne } = this.#limits;
    if (open >= streamsOfOne) throw tooManyStreams(streamsOfOne);
    const release = this.take(principal, bytes);
    this.#streams.set(principal, open + 1);
    let isOpen = true;
    return () => {
      release();
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#streams.get(principal) ?? 1) - 1;
      if (left === 0) this.#streams.delete(principal);
      else this.#streams.set(principal, left);
    };
  }

  /**
   * Runs a read after the earlier reads of the same principal: responses that need much memory are
   * read one at a time.
   */
  readOneByOne<T>(principal: string, read: () => Promise<T>): Promise<T> {
    const result = (this.#reads.get(principal) ?? Promise.resolve()).then(read);
    const ended = result.then(
      () => {},
      () => {},
    );
    this.#reads.set(principal, ended);
    void ended.then(() => {
      if (this.#reads.get(principal) === ended) this.#reads.delete(principal);
    });
    return result;
  }

  /**
   * Reserves the bytes of a request's body until the request is answered, or `releaseBody` is
   * called.
   */
  async admit(context: ApiContext, next: Next): Promise<void> {
    const { req } = context;
    const principal = context.get("principal") ?? "";
    if (req.method === "GET" || req.method === "HEAD" || !hasBody(req)) return next();
    // A request without a caller is from a browser that is being paired, and its body is short.
    const bodyBytes = principal === "" ? pairingBytes : this.#limits.bodyBytes;
    const releases: Release[] = [];
    let taken = 0;
    const take = (bytes: number) => {
      releases.push(this.take(principal, bytes));
      taken += bytes;
    };
    const grow = (size: number) => {
      if (size > bodyBytes) throw tooLarge(bodyBytes);
      // A body without a length is counted as it arrives.
      if (size > taken) take(Math.max(size - taken, smallBytes));
    };
    bodies.set(context, { grow, release: () => releases.forEach((release) => release()) });
    const declared = Number(req.header("content-length") ?? 0);
    if (declared > bodyBytes) throw tooLarge(bodyBytes);
    take(declared);
    try {
      await next();
    } finally {
      releaseBody(context);
    }
  }
}

/**
 * Whether a request has a body. Reading `body` creates a whole request object, which costs more than
 * all other checks.
 */
function hasBody({ raw }: ApiContext["req"]): boolean {
  const { headers } = raw;
  const isDeclared = headers.has("content-length") || headers.has("transfer-encoding");
  return isDeclared || raw.body !== null;
}

/** Bytes of a small request. A body without a length reserves this many at a time. */
const smallBytes = 65_536;

/** The longest body of a request that pairs a browser. Anyone can send it, without a key. */
const pairingBytes = 4_096;

/** Bytes of a stream: two pages of events. It reads one page at a time. */
const streamBytes = 131_072;

const bodies = new WeakMap<
  Context,
  { readonly grow: (size: number) => void; readonly release: Release }
>();

/**
 * Reserves the bytes of a body beyond its declared length, while it arrives. @throws RequestError
 * 413, 429 or 503
 */
export function growBody(context: Context, size: number): void {
  bodies.get(context)?.grow(size);
}

/** Releases the bytes of a body that is stored: from now on its request needs no extra memory. */
export function releaseBody(context: Context): void {
  bodies.get(context)?.release();
}

/** Returns the approximate size of a value as JSON, in bytes. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  return Object.values(value).reduce<number>((sum, member) => sum + bytesOf(member), 8);
}

function tooLarge(bytes: number): RequestError {
  const message = `The body is larger than ${bytes} bytes.`;
  return new RequestError({ status: 413, code: "body_too_large", message });
}

function shareUsed(bytes: number): RequestError {
  return new RequestError({
    status: 429,
    type: "rate_limit_error",
    code: "too_many_bytes_at_once",
    message: `Your open requests and responses use ${bytes} bytes, which is your share of this server's memory (limits.bytesOfOne). Nothing was done. Try again when some of them have ended.`,
    retryAfterSeconds: 1,
  });
}

function tooManyStreams(limit: number): RequestError {
  return new RequestError({
    status: 429,
    type: "rate_limit_error",
    code: "too_many_streams",
    message: `You have ${limit} open streams, which is the limit of this server (limits.streamsOfOne). Nothing was done. Close a stream, then try again.`,
    retryAfterSeconds: 1,
  });
}

function full(): RequestError {
  return new RequestError({
    status: 503,
    type: "server_error",
    code: "server_full",
    message:
      "Open requests and responses use all the memory that the server reserves for requests (limits.bytesAtOnce). Nothing was done. Try again in a few seconds.",
    retryAfterSeconds: 2,
  });
}
