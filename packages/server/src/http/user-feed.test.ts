import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserEvent } from "@capstan/contract";
import type { UserChanges } from "@capstan/store";
import { UserFeed } from "./user-feed.ts";

/** A feed with a store that the test controls. */
function createFeed() {
  let notify = (_changes: UserChanges) => {};
  const feed = new UserFeed([
    {
      onUserChanges: (listener) => {
        notify = listener;
        return () => {};
      },
    },
  ]);
  const file = (owner: string, id: string) =>
    notify([{ owner, event: { type: "file.created", file: id } }]);
  return { feed, file, miss: () => notify("missed") };
}

/** Follows a feed, and takes its events one by one. */
function follow(feed: UserFeed, owner: string, cursor?: string, limit?: number) {
  const abort = new AbortController();
  const events = feed.follow({
    owner,
    cursor,
    signal: abort.signal,
    ...(limit !== undefined && { limit }),
  });
  return {
    next: async (): Promise<UserEvent> => (await events.next()).value as UserEvent,
    leave: async () => {
      abort.abort();
      await events.next();
    },
  };
}

const nameOf = (event: UserEvent) => ("file" in event ? event.file : event.type);

test("a new client resyncs once, and gets only its user's events", async () => {
  const { feed, file } = createFeed();
  const ann = follow(feed, "ann");
  assert.equal(nameOf(await ann.next()), "resync");
  file("bob", "b1");
  file("ann", "a1");
  assert.equal(nameOf(await ann.next()), "a1");
});

test("a client that reconnects gets the events that it missed", async () => {
  const { feed, file } = createFeed();
  const first = follow(feed, "ann");
  const { cursor } = await first.next();
  await first.leave();
  file("ann", "a1");
  file("ann", "a2");
  const again = follow(feed, "ann", cursor);
  const missed = [await again.next(), await again.next()];
  assert.deepEqual(missed.map(nameOf), ["a1", "a2"]);
  const last = follow(feed, "ann", missed[1]?.cursor);
  file("ann", "a3");
  assert.equal(nameOf(await last.next()), "a3");
});

test("a client resyncs if its cursor is too old, of another process, or made up", async () => {
  const { feed, file } = createFeed();
  const first = follow(feed, "ann");
  const { cursor } = await first.next();
  for (let n = 0; n < 200; n++) file("ann", `a${n}`);
  const [id = ""] = cursor.split(".");
  for (const bad of [cursor, "", "feed_x.3", `${id}.900`, `${id}.-1`, `${id}.x`, `${id}.`])
    assert.equal(nameOf(await follow(feed, "ann", bad).next()), "resync", bad);
});

test("after messages of other nodes were lost, every client resyncs, also one that reconnects", async () => {
  const { feed, file, miss } = createFeed();
  const [ann, bob] = [follow(feed, "ann"), follow(feed, "bob")];
  const { cursor } = await ann.next();
  const { cursor: ofBob } = await bob.next();
  await bob.leave();
  file("ann", "a1");
  miss();
  file("ann", "a2");
  assert.deepEqual([nameOf(await ann.next()), nameOf(await ann.next())], ["resync", "a2"]);
  assert.equal(nameOf(await follow(feed, "ann", cursor).next()), "resync");
  assert.equal(nameOf(await follow(feed, "bob", ofBob).next()), "resync");
});

test("a slow client has a bounded buffer, and resyncs instead of the lost events", async () => {
  const { feed, file } = createFeed();
  const slow = follow(feed, "ann", undefined, 3);
  await slow.next();
  for (let n = 0; n < 5; n++) file("ann", `a${n}`);
  assert.equal(nameOf(await slow.next()), "resync");
  assert.equal(nameOf(await slow.next()), "a4");
});

test("users without clients have no feed, and a limited number of feeds remains after clients disconnect", async () => {
  const { feed, file } = createFeed();
  for (let n = 0; n < 1_000; n++) file(`user ${n}`, "f");
  assert.equal(feed.size, 0);
  for (let n = 0; n < 1_000; n++) {
    const client = follow(feed, `user ${n}`);
    await client.next();
    await client.leave();
  }
  assert.equal(feed.size, 200);
});
