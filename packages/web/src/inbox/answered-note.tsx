import type { ApprovalView } from "@capstan/contract";
import { visibleText } from "@capstan/core/text";
import { formatTime } from "../texts/numbers/date.ts";
import { Icon } from "../shell/icon.tsx";
import { inboxTexts } from "../texts/inbox.ts";

/** Shows how and when another client answered a request that was shown here. */
export function AnsweredNote(props: { readonly approval: ApprovalView }) {
  const text = () => {
    const { toolName, status, answered_at: at } = props.approval;
    const isEnd = status === "expired" || status === "cancelled";
    const about = isEnd ? inboxTexts.ended : inboxTexts.answered;
    return about(visibleText(toolName), inboxTexts.answers[status], formatTime(at ?? Date.now()));
  };
  return (
    <p class="inbox-answered dim breaks at-top" role="status" data-testid="answered-elsewhere">
      <Icon name="check" size={15} /> <span>{text()}</span>
    </p>
  );
}
