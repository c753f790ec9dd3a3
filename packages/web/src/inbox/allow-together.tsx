import type { ApprovalView, ExecutionApprovalView } from "@capstan/contract";
import { unseenChars, visibleArguments, visibleText } from "@capstan/core/text";
import { createMemo, Show } from "solid-js";
import { client } from "../api/client.ts";
import { areAnswersLocked, lockAnswers } from "../approvals/answer-lock.ts";
import { isLong } from "../approvals/folding.tsx";
import { useMayAllow } from "../approvals/may-allow.tsx";
import { Button } from "../shell/button.tsx";
import { ErrorText } from "../shell/error-text.tsx";
import { createAction } from "../state/action.ts";
import { useApp } from "../state/app-state.ts";
import { inboxTexts } from "../texts/inbox.ts";
import { formatList } from "../texts/numbers/count.ts";

/**
 * Allows several calls at once: only read-only calls whose cards show them whole. All other calls
 * need separate answers.
 */
export function AllowTogether(props: { readonly requests: readonly ApprovalView[] }) {
  const { inbox } = useApp();
  const { isBusy, error, run } = createAction();
  const mayAllow = useMayAllow();
  const together = createMemo(() => props.requests.filter(isShortRead));
  const tools = () => formatList(together().map(({ toolName }) => visibleText(toolName)));

  const allow = () => {
    if (areAnswersLocked() || !mayAllow()) return;
    lockAnswers();
    void run(async () => {
      for (const { id } of together()) {
        inbox.noteAnsweredHere(id);
        await client.answerApproval(id, { decision: "allow", scope: "once" });
      }
      await inbox.refresh();
    });
  };

  return (
    <Show when={together().length > 1}>
      <div class="inbox-together" data-testid="allow-together">
        <Button
          look="primary"
          disabled={isBusy() || areAnswersLocked() || !mayAllow()}
          onClick={allow}
        >
          {inboxTexts.together.allow(together().length)}
        </Button>
        <p class="soft">{inboxTexts.together.about(tools())}</p>
        <ErrorText class="approval-error" message={error()} testId="together-error" />
      </div>
    </Show>
  );
}

function isShortRead(request: ApprovalView): request is ExecutionApprovalView {
  if (request.kind !== "execution" || request.readOnly !== true) return false;
  return unseenChars(request) === 0 && !isLong(visibleArguments(request.args, request));
}
