import { Hono } from "hono";
import { z } from "zod";
import type { CreatedShare, ShareView } from "@capstan/contract";
import type { ShareRecord } from "@capstan/store";
import { notFound, RequestError } from "../http/errors.ts";
import { hashOf, newToken } from "../http/credentials/token.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { readBody } from "../http/read-body.ts";
import { findConversation, listView } from "../http/records.ts";
import type { Environment, Services } from "../http/services.ts";
import { snapshotOf } from "./snapshot.ts";

const prefix = "share_";

const shareBody = z.object({ include_calls: z.boolean().nullish() });

/** Routes of the link to a conversation. */
export function conversationShareRoutes(
  services: Services,
  budget: MemoryBudget,
): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = services.runs;

  routes.post("/:id/share", async (context) => {
    if (services.sharing !== true) throw sharingDisabled();
    const conversation = await findConversation(
      store,
      context.get("principal"),
      context.req.param("id"),
    );
    const { include_calls } = await readBody(context, shareBody);
    const { owner, id } = conversation;
    const source = { store, sealer: services.sealer };
    const snapshot = await budget.readOneByOne(owner, () =>
      snapshotOf(source, conversation, { includeCalls: include_calls === true, at: Date.now() }),
    );
    const token = `${prefix}${newToken()}`;
    const [outcome] = await store.write([
      {
        type: "share-conversation",
        owner,
        conversationId: id,
        digest: hashOf(token),
        content: JSON.stringify(snapshot),
      },
    ]);
    if (outcome.status !== "updated") throw notFound("conversation", id);
    const { createdAt } = outcome;
    context.header("Cache-Control", "no-store");
    const share = shareView({ conversationId: id, title: conversation.title, createdAt });
    return context.json({ ...share, token } satisfies CreatedShare);
  });

  routes.get("/:id/share", async (context) => {
    const { owner, id } = await findConversation(
      store,
      context.get("principal"),
      context.req.param("id"),
    );
    const share = await store.getShare({ owner, conversationId: id });
    if (share === undefined) throw notFound("share", id);
    return context.json(shareView(share));
  });

  routes.delete("/:id/share", async (context) => {
    const id = context.req.param("id");
    const owner = context.get("principal");
    const [outcome] = await store.write([{ type: "revoke-share", owner, conversationId: id }]);
    if (outcome.status !== "removed") throw notFound("share", id);
    return context.json({ id, object: "conversation.share.deleted", deleted: true });
  });

  return routes;
}

/** Routes of a user's links, and of the readers of a link. */
export function shareRoutes(services: Services): Hono<Environment> {
  const routes = new Hono<Environment>();
  const { store } = services.runs;

  routes.get("/shares", async (context) => {
    const shares = await store.listShares({ owner: context.get("principal") });
    return context.json(listView(shares.map(shareView), false, ({ conversation }) => conversation));
  });

  // The token is in a header, because addresses are logged by proxies.
  routes.get("/shared", async (context) => {
    context.header("Cache-Control", "no-store");
    context.header("X-Robots-Tag", "noindex");
    const token = /^Bearer (share_[\w-]{43})$/.exec(context.req.header("authorization") ?? "")?.[1];
    const content =
      token === undefined || services.sharing !== true
        ? undefined
        : await store.everyShareOf({ digest: hashOf(token) });
    if (content === undefined) throw noSuchLink();
    return context.body(content, 200, { "Content-Type": "application/json" });
  });

  return routes;
}

function shareView({ conversationId, title, createdAt }: ShareRecord): ShareView {
  return {
    object: "conversation.share",
    conversation: conversationId,
    title,
    created_at: createdAt,
  };
}

function sharingDisabled(): RequestError {
  const message =
    'This server does not share conversations. An administrator enables it with "sharing": true in capstan.config.json.';
  return new RequestError({ status: 403, code: "sharing_disabled", message });
}

/** An unknown link, a revoked one and a server that does not share are not distinguishable. */
function noSuchLink(): RequestError {
  const message = "This link does not exist, or was revoked.";
  return new RequestError({ status: 404, code: "not_found", param: "authorization", message });
}
