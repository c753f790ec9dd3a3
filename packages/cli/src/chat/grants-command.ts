import type { GrantView } from "@capstan/contract";
import { type ChatSession, printLine } from "./chat-session.ts";
import { printableLine } from "../terminal/printable.ts";

/** `/grants` lists the answers that hold for more than one call, `/grants N` takes one back. */
export async function grantsCommand(
  session: ChatSession,
  revoke: string | undefined,
): Promise<void> {
  const { client, style, conversation } = session;
  const grants = await client.grants(conversation?.id);
  if (grants.length === 0)
    return printLine(session, "Nothing yet: every call that has to ask, asks.");
  if (revoke !== undefined) {
    const grant = grants[Number(revoke) - 1];
    if (grant === undefined)
      return printLine(session, `There is no number ${printableLine(revoke)}.`);
    await client.revokeGrant(grant.id);
    return printLine(session, `Taken back: ${printableLine(grant.title)}. It asks again.`);
  }
  for (const [index, grant] of grants.entries()) {
    const verdict = grant.verdict === "allow" ? "allowed" : "refused";
    printLine(
      session,
      `${index + 1}  ${verdict}: ${printableLine(grant.title)}  ${style.dim(aboutGrant(grant))}`,
    );
  }
}

function aboutGrant({ scope, grantedBy, createdAt, expiresAt }: GrantView): string {
  const where = scope === "always" ? "every session" : "this session";
  const end = expiresAt === undefined ? "until taken back" : `until ${timeText(expiresAt)}`;
  return [where, `by ${printableLine(grantedBy)}`, `since ${timeText(createdAt)}`, end].join(" · ");
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
