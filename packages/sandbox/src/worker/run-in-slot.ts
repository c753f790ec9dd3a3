/** A request for a slot of a pool. */
export interface SlotRequest {
  /** Requests with the same name share their slots. */
  readonly pool: string;
  /** The number of slots of the pool. */
  readonly atOnce: number;
  /** The user whose work it is. Users take turns. @default one user for all such requests */
  readonly user?: string | undefined;
  readonly signal: AbortSignal;
}

/** The outcome if too much work waits for the pool. */
export interface Busy {
  readonly status: "busy";
}

/** How much work can wait for a pool: of one user, and of all users. */
const mostOfUser = 100;
const mostWaiting = 1_000;

interface Waiting {
  readonly user: string;
  readonly atOnce: number;
  readonly start: () => void;
}

interface User {
  running: number;
  waiting: number;
  /** The number of the user's last turn. */
  lastTurn: number;
}

interface Pool {
  used: number;
  turns: number;
  readonly waiting: Set<Waiting>;
  readonly users: Map<string, User>;
}

const pools = new Map<string, Pool>();

/**
 * Does work as soon as its pool has a free slot. The next slot goes to the user with the least
 * running work, and among equals to the one whose last turn is the longest ago.
 *
 * @throws the signal's reason when it aborts, also while the work waits
 */
export async function runInSlot<T>(
  request: SlotRequest,
  work: () => Promise<T>,
): Promise<T | Busy> {
  const { pool: name, atOnce, user: id = "", signal } = request;
  signal.throwIfAborted();
  const pool: Pool = pools.get(name) ?? { used: 0, turns: 0, waiting: new Set(), users: new Map() };
  pools.set(name, pool);
  const user = pool.users.get(id) ?? { running: 0, waiting: 0, lastTurn: -1 };
  if (pool.used >= atOnce) {
    if (user.waiting >= mostOfUser || pool.waiting.size >= mostWaiting) return { status: "busy" };
    pool.users.set(id, user);
    await turn(pool, user, { user: id, atOnce, signal });
  } else {
    pool.users.set(id, user);
    begin(pool, user);
  }
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    pool.used -= 1;
    user.running -= 1;
    forget(pool, id);
    startNext(pool);
  }
}

async function turn(
  pool: Pool,
  user: User,
  { user: id, atOnce, signal }: Pick<Waiting, "user" | "atOnce"> & Pick<SlotRequest, "signal">,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const waiting = { user: id, atOnce, start: resolve };
  const abort = () => {
    // Otherwise its turn has begun, and its slot is given back after it.
    if (!pool.waiting.delete(waiting)) return;
    user.waiting -= 1;
    forget(pool, id);
    reject(signal.reason as Error);
  };
  signal.addEventListener("abort", abort, { once: true });
  pool.waiting.add(waiting);
  user.waiting += 1;
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function begin(pool: Pool, user: User): void {
  pool.used += 1;
  pool.turns += 1;
  user.running += 1;
  user.lastTurn = pool.turns;
}

function startNext(pool: Pool): void {
  for (;;) {
    let next: { readonly waiting: Waiting; readonly user: User } | undefined;
    for (const waiting of pool.waiting) {
      const user = pool.users.get(waiting.user);
      if (user !== undefined && (next === undefined || isBefore(user, next.user)))
        next = { waiting, user };
    }
    if (next === undefined || pool.used >= next.waiting.atOnce) return;
    pool.waiting.delete(next.waiting);
    next.user.waiting -= 1;
    begin(pool, next.user);
    next.waiting.start();
  }
}

function isBefore(a: User, b: User): boolean {
  return a.running === b.running ? a.lastTurn < b.lastTurn : a.running < b.running;
}

function forget({ users }: Pool, id: string): void {
  const user = users.get(id);
  if (user?.running === 0 && user.waiting === 0) users.delete(id);
}
