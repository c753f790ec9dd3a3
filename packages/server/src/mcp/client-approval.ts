import type { ApprovalRequest } from "@capstan/core";
import { visibleText } from "@capstan/core/text";
import type { Services } from "../http/services.ts";
import type { ClientApproves } from "./mcp-options.ts";

/** The capabilities of a client that decide whether it can ask its user. */
interface Capabilities {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown } | undefined;
}

/** Returns whether a client's answer to an approval request counts, and whether it can give one. */
export function mayClientApprove(
  clientApproves: ClientApproves,
  capabilities: Capabilities | undefined,
  { readOnly }: Pick<ApprovalRequest, "readOnly">,
): boolean {
  const counts =
    clientApproves === "everything" || (clientApproves === "reads" && readOnly === true);
  const elicitation = capabilities?.elicitation;
  if (!counts || elicitation === undefined) return false;
  // A client that declares neither mode supports forms.
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** The longest message of a form, in characters. */
const longestMessage = 6_000;

/**
 * Returns the form with which a client asks its user, or `undefined` if the call is too long for
 * one. A form must show the whole call, with hidden characters marked, because its user approves
 * the shown call. The page shows longer calls.
 */
export function approvalForm(approval: ApprovalRequest) {
  const { toolName, groupTitle, reason, args, preview, variables = [] } = approval;
  const parts = [
    `${groupTitle}: ${toolName} needs your approval. ${reason}`,
    JSON.stringify(args, null, 2),
    ...(preview === undefined ? [] : [preview.text]),
    ...variables.map(({ name, text }) => `${name}:\n${text}`),
  ];
  const isCut = [...variables, ...(preview === undefined ? [] : [preview])].some(
    ({ text, length }) => text.length < length,
  );
  // Marking the characters of a long call would take long, and its form is not shown.
  if (parts.join("").length > longestMessage) return undefined;
  const message = parts.map((part) => visibleText(part)).join("\n\n");
  if (isCut || message.length > longestMessage) return undefined;
  return {
    mode: "form" as const,
    message,
    requestedSchema: {
      type: "object" as const,
      properties: {
        decision: {
          type: "string" as const,
          title: "Decision",
          enum: ["allow", "deny"],
        },
      },
      required: ["decision"],
    },
  };
}

/** A client's answer to a form. */
interface FormAnswer {
  readonly action?: unknown;
  readonly content?: { readonly decision?: unknown } | null | undefined;
}

/**
 * Answers an approval request with a client's answer. If the form is
 * closed, the request stays open. The first answer counts.
 */
export async function answerByClient(
  { runs }: Pick<Services, "runs">,
  { owner, runId, id }: { readonly owner: string; readonly runId: string; readonly id: string },
  answer: FormAnswer,
): Promise<void> {
  const decision = answer.action === "accept" ? answer.content?.decision : undefined;
  if (decision === "allow") await runs.answer(owner, id, { decision: "allow" }, runId);
  else if (decision === "deny" || answer.action === "decline")
    await runs.answer(
      owner,
      id,
      { decision: "refuse", reason: "The client's user denied it." },
      runId,
    );
}
