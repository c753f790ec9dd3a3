import type { UserEvent } from "@capstan/contract";
import { Hono } from "hono";
import { programOf } from "../http/credentials/program-keys.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { type Environment, localPrincipal, type Services } from "../http/services.ts";
import { eventStream } from "../http/streams.ts";
import { UserFeed } from "../http/user-feed.ts";

/** The memory of a connection: its buffer of short events and the buffer of its response. */
const feedBytes = 16_384;

/**
 * The feed of the user who runs the server, with the changes of the connected programs. Other
 * callers of a server without keys have the same principal, but do not get this feed.
 */
const ofUser = `${localPrincipal} and programs`;

/** The route of a user's events: one stream with the changes of all of the user's data. */
export function eventRoutes({ runs, limits }: Services, budget: MemoryBudget): Hono<Environment> {
  const routes = new Hono<Environment>();
  const feed = new UserFeed(runs.stores.all, (owner) =>
    owner === localPrincipal || programOf(owner) !== undefined ? [owner, ofUser] : [owner],
  );

  routes.get("/", (context) => {
    const owner = context.get("seesPrograms") ? ofUser : context.get("principal");
    // A browser that reconnects sends the header with its first URL.
    const cursor = context.req.header("last-event-id") ?? context.req.query("starting_after");
    const release = budget.takeStream(owner, feedBytes);
    const stop = new AbortController();
    return eventStream({
      chunks: encoded(feed.follow({ owner, cursor, signal: stop.signal })),
      idleMs: limits.heartbeatMs,
      onIdle: () => ": waiting\n\n",
      onLeave: () => stop.abort(),
      onEnd: release,
    });
  });

  return routes;
}

async function* encoded(events: AsyncIterable<UserEvent>): AsyncGenerator<string> {
  for await (const event of events)
    yield `id: ${event.cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
