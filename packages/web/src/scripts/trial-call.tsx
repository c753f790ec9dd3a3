import { Show } from "solid-js";
import { client } from "../api/client.ts";
import { ApprovalCard } from "../approvals/approval-card.tsx";
import { ReviewCard } from "../approvals/review-card.tsx";
import { callBadge } from "../calls/call-badge.ts";
import { CallProgress } from "../calls/call-progress.tsx";
import { CallTime } from "../calls/call-time.tsx";
import { ContentParts } from "../shell/content-parts.tsx";
import type { LiveRun } from "../state/live-run.ts";
import type { CallResult } from "../run/run-event.ts";
import { hasEnded } from "../run/run-state.ts";
import { TextSection } from "../shell/text-section.tsx";
import { attempt } from "../state/toasts.ts";
import { tracebackOf } from "./traceback.ts";
import { Button } from "../shell/button.tsx";
import { createAction } from "../state/action.ts";
import { scriptsTexts } from "../texts/scripts.ts";
import "../calls/calls.css";

/** A call that the user tries: its approval, its progress, and its full result. */
export function TrialCall(props: { readonly run: LiveRun }) {
  const stopping = createAction();
  const call = () => props.run.state().calls["call_1"];
  const isOver = () => hasEnded(props.run.state().phase);
  const printed = () =>
    call()
      ?.outputs.map(({ text }) => text)
      .join("") ?? "";
  const stop = () =>
    stopping.run(() =>
      attempt(scriptsTexts.trial.notStopped, () => client.cancelRun(props.run.view.id)),
    );

  return (
    <section
      class="tried"
      aria-label={scriptsTexts.trial.label}
      data-testid="tried"
      aria-busy={!isOver()}
    >
      <Show
        when={call()}
        fallback={
          <p class="tried-head row" role="status">
            {isOver()
              ? (props.run.state().error?.message ?? scriptsTexts.trial.ended)
              : scriptsTexts.trial.starting}
          </p>
        }
      >
        {(known) => {
          const face = () => callBadge(known(), isOver());
          const running = () => face().status === "running";
          return (
            <>
              <p class={`tried-head tone-${face().tone} row`} role="status">
                <span class="call-status faint" data-testid="tried-status">
                  {face().label}
                </span>
                <CallTime call={known()} isRunning={running()} />
                <Show when={!isOver()}>
                  <Button
                    look="small stop"
                    disabled={stopping.isBusy()}
                    data-testid="stop-try"
                    onClick={() => void stop()}
                  >
                    {scriptsTexts.trial.stop}
                  </Button>
                </Show>
              </p>
              <Show when={face().status === "asking" && known().approval}>
                {(approval) => <ApprovalCard approval={approval()} />}
              </Show>
              <Show when={face().status === "reviewing" && known().review}>
                {(review) => <ReviewCard review={review()} />}
              </Show>
              <CallProgress call={known()} isRunning={running()} />
              <Show when={!running() && printed() !== ""}>
                <TextSection heading="h4" title={scriptsTexts.trial.printed} text={printed()} />
              </Show>
              <Show when={known().result}>
                {(result) => (
                  <>
                    <TextSection
                      heading="h4"
                      title={resultTitle(result())}
                      text={result().error?.message ?? result().finalText}
                      testId="tried-result"
                    />
                    <ContentParts parts={result().parts ?? []} tool={known().name} />
                    <Show when={tracebackOf(result().error)}>
                      {(text) => (
                        <TextSection
                          heading="h4"
                          title={scriptsTexts.trial.traceback}
                          text={text()}
                          testId="traceback"
                        />
                      )}
                    </Show>
                  </>
                )}
              </Show>
            </>
          );
        }}
      </Show>
    </section>
  );
}

function resultTitle({ error, isTruncated }: CallResult): string {
  if (error !== undefined) return scriptsTexts.trial.failed(error.code);
  return isTruncated ? scriptsTexts.trial.truncatedResult : scriptsTexts.trial.result;
}
