import { Hono } from "hono";
import type { GrantDeleted, GrantView } from "@capstan/contract";
import type { GrantRecord } from "@capstan/store";
import type { Environment, Services } from "../http/services.ts";
import { corrupt, entryView, findConversation, listView, unlessCorrupt } from "../http/records.ts";
import { readNumber } from "../http/read-body.ts";
import { notFound } from "../http/errors.ts";
import { mayApprove, rightMissing } from "../http/rights.ts";
import { grantId, mergePages } from "../runs/active/run-stores.ts";

/** Routes of grants: permissions and denials for more than one call. */
export function grantRoutes({ runs }: Services): Hono<Environment> {
  const routes = new Hono<Environment>();

  routes.get("/", async (context) => {
    const owner = context.get("principal");
    const limit = readNumber(context, "limit", { min: 1, max: 1_000, otherwise: 1_000 });
    const conversation = context.req.query("conversation");
    const sessionId =
      conversation === undefined ? undefined : await sessionOf(runs.store, owner, conversation);
    const query = { limit, ...(sessionId !== undefined && { sessionId }) };
    const pages = await Promise.all(
      context.get("owners").map((each) => runs.stores.listGrants({ owner: each, ...query })),
    );
    const { data, hasMore } = mergePages(pages, grantId, limit);
    return context.json(
      listView(
        data.map((entry) => entryView(entry, (record) => grantView(record, conversation))),
        hasMore,
      ),
    );
  });

  /** Returns whether every grant with this id allows calls. */
  async function allows(owner: string, id: string): Promise<boolean> {
    const found = await Promise.all(runs.stores.all.map((store) => store.getGrant({ owner, id })));
    return found.every((record) => (record?.grant.verdict ?? "allow") === "allow");
  }

  routes.delete("/:id", async (context) => {
    const owner = context.get("principal");
    const id = context.req.param("id");
    if (!mayApprove(context) && !(await allows(owner, id)))
      throw rightMissing("approve", "To revoke a denial");
    const revoked = await runs.revokeGrant(owner, id);
    if (revoked === undefined) throw notFound("grant", id);
    const { again, revokedAt } = revoked;
    const body = { id, object: "grant.deleted", deleted: true, again, revokedAt } as const;
    return context.json(body satisfies GrantDeleted);
  });

  return routes;
}

/** Matches no session, so a list contains only permanent grants. */
const noSession = "";

/** Returns the session of a conversation, if it has had a run. */
async function sessionOf(
  store: Services["runs"]["store"],
  owner: string,
  id: string,
): Promise<string> {
  const head = await unlessCorrupt(async () => {
    const { headRunId } = await findConversation(store, owner, id);
    return headRunId === null ? undefined : store.getRun({ owner, id: headRunId });
  });
  if (head !== corrupt) return head?.sessionId ?? noSession;
  const { data } = await store.searchRuns({ owner, conversationId: id, limit: 1 });
  return data[0]?.sessionId ?? noSession;
}

/**
 * Returns a grant as the API shows it. A permanent grant belongs to no conversation; branches of a
 * conversation share their session's grants.
 */
function grantView(record: GrantRecord, asked: string | undefined): GrantView {
  const { grant, sessionId, conversationId } = record;
  const conversation = sessionId === null ? null : (asked ?? conversationId);
  return { ...grant, object: "grant", conversation };
}
