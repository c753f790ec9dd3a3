import type { ApprovalRecord, Store, WebhookMessage } from "@capstan/store";
import { programOf } from "../http/credentials/program-keys.ts";
import { localPrincipal } from "../http/services.ts";

/**
 * Returns the body of a message as JSON, in the form of the Standard Webhooks specification. It names
 * the tool of a request, but has no arguments, results or texts: the link shows them to a paired
 * browser.
 *
 * @param options.link the address of the page, without a slash at its end
 */
export async function messageBody(
  { owner, event, createdAt }: WebhookMessage,
  options: { readonly store: Pick<Store, "getApproval">; readonly link: string },
): Promise<string> {
  const program = programOf(owner);
  const { type, ...ids } = event;
  const data = {
    user: program === undefined ? owner : localPrincipal,
    ...(program !== undefined && { program }),
    ...ids,
    ...("approval" in event && (await requestOf(event.approval, { owner, ...options }))),
    link: `${options.link}/${pathOf(event)}`,
  };
  return JSON.stringify({ type, timestamp: new Date(createdAt).toISOString(), data });
}

/** A corrupt request or a request that was deleted with its run has no details. */
async function requestOf(
  id: string,
  { owner, store }: { readonly owner: string; readonly store: Pick<Store, "getApproval"> },
): Promise<Pick<ApprovalRecord, "kind" | "status"> & { readonly tool?: string }> {
  const found = await store.getApproval({ owner, id }).catch(() => undefined);
  if (found === undefined) return { kind: "execution", status: "cancelled" };
  const { kind, status, request } = found;
  return { kind, status, tool: request.toolId };
}

function pathOf(event: WebhookMessage["event"]): string {
  if ("approval" in event) return `#/approvals/${encodeURIComponent(event.approval)}`;
  return event.conversation === null ? "#/" : `#/c/${encodeURIComponent(event.conversation)}`;
}
