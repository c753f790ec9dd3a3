import type { Context } from "hono";
import type { ConversationState } from "@capstan/contract";
import type { ConversationRecord, CorruptRecord, Page, Store } from "@capstan/store";
import { programPrincipal } from "./credentials/program-keys.ts";
import { RequestError } from "./errors.ts";
import { unlessCorrupt } from "./records.ts";
import type { Environment, Services } from "./services.ts";

/**
 * The user who runs the server has connected the programs. So this user sees their conversations
 * and answers their approval requests, on the page and in the terminal. Each program still owns
 * what it creates, and sees nothing of the user or of other programs.
 */

/** Parts of the API whose paths contain the id of an owned resource. */
const named = /^\/v1\/(runs|conversations|approvals|grants|files)\/([\w-]+)/;

/**
 * Returns the owners whose data a request can access: the program in the header `Capstan-Program`,
 * or the owner of the resource in the path, or all `owners` if the request names neither.
 *
 * @param owners the caller, and the programs that the user has connected
 * @throws RequestError `program_not_found`
 */
export async function ownersOfRequest(
  { runs }: Pick<Services, "runs">,
  { req }: Context<Environment>,
  owners: readonly [string, ...string[]],
): Promise<readonly [string, ...string[]]> {
  const [user, ...programs] = owners;
  const program = req.header("capstan-program");
  if (program !== undefined) {
    const owner = programPrincipal(program);
    if (!programs.includes(owner)) throw noProgram(program);
    return [owner];
  }
  const [, kind, inPath] = named.exec(req.path) ?? [];
  const conversation = req.query("conversation");
  const [what, id] = conversation === undefined ? [kind, inPath] : ["conversations", conversation];
  if (what === undefined || id === undefined || owners.length === 1) return owners;
  for (const owner of owners) if (await isOwner(runs, what, { owner, id })) return [owner];
  return [user];
}

function noProgram(name: string): RequestError {
  return new RequestError({
    status: 404,
    code: "program_not_found",
    param: "capstan-program",
    message: `Capstan-Program: you have connected no program "${name.slice(0, 100)}". Paired browsers and terminals can name a program that "capstan connect list" lists.`,
  });
}

async function isOwner(
  runs: Services["runs"],
  kind: string,
  query: { readonly owner: string; readonly id: string },
): Promise<boolean> {
  const found = await unlessCorrupt<unknown>(async () => {
    switch (kind) {
      case "runs":
        return runs.stores.of(query.id).getRun(query);
      case "conversations":
        return runs.store.getConversation(query);
      case "approvals":
        return runs.stores.findApprovalCursor(query);
      case "grants": {
        const all = await Promise.all(runs.stores.all.map((store) => store.getGrant(query)));
        return all.find((grant) => grant !== undefined);
      }
      default:
        return runs.store.getFile(query);
    }
  });
  return found !== undefined;
}

type Conversations = Page<ConversationRecord | CorruptRecord>;

/**
 * The maximum number of listed conversations of a program. Programs have few: MCP calls share one.
 */
const listedOfProgram = 100;

/**
 * Lists the conversations of a user and of the user's programs, last changed first.
 *
 * @param options.after the id of the last listed conversation
 */
export async function listConversations(
  store: Store,
  [user, ...programs]: readonly [string, ...string[]],
  {
    limit,
    after,
    state,
  }: {
    readonly limit: number;
    readonly after: string | undefined;
    readonly state: ConversationState | undefined;
  },
): Promise<Conversations> {
  const rest = {
    limit,
    ...(after !== undefined && { after }),
    ...(state !== undefined && { state }),
  };
  if (programs.length === 0) return store.listConversations({ owner: user, ...rest });
  let afterOwner = user;
  for (const owner of after === undefined ? [] : programs)
    if (
      (await unlessCorrupt(() => store.getConversation({ owner, id: after ?? "" }))) !== undefined
    )
      afterOwner = owner;
  const pages = await Promise.all(
    [user, ...programs].map((owner) =>
      store.listConversations({
        owner,
        ...rest,
        limit: owner === user ? limit : Math.min(limit, listedOfProgram),
        afterOwner,
      }),
    ),
  );
  const time = (entry: ConversationRecord | CorruptRecord) =>
    "isCorrupt" in entry ? 0 : entry.updatedAt;
  const data = pages
    .flatMap((page) => page.data)
    .toSorted((a, b) => time(b) - time(a) || (a.id < b.id ? 1 : -1));
  const hasMore = data.length > limit || pages.some((page) => page.hasMore);
  return { data: data.slice(0, limit), hasMore };
}
