import { visibleText } from "@capstan/core/text";
import { createEffect, createSignal, on } from "solid-js";
import { useApp } from "../state/app-state.ts";
import { pendingApprovals } from "../run/run-totals.ts";
import { failureAdvice } from "./failure-advice.ts";
import { chatTexts } from "../texts/chat.ts";
import { shellTexts } from "../texts/shell.ts";

/** The maximum number of characters of an answer that a screen reader announces. */
const openingLength = 400;

function opening(text: string): string {
  return text.length > openingLength ? `${text.slice(0, openingLength)}…` : text;
}

/** Announces completed answers and new approval requests to screen readers. */
export function Announcer() {
  const { chat, inbox } = useApp();
  const [said, say] = createSignal("");
  const [asked, ask] = createSignal("");
  const latest = () => chat.runs().at(-1);

  createEffect(
    on(
      () => [latest()?.view.id, latest()?.state().phase] as const,
      ([id, phase], before) => {
        if (id === undefined || before?.[0] !== id || phase === before[1]) return;
        const state = latest()?.state();
        if (state === undefined) return;
        const failure = failureAdvice(state.phase, state.error);
        if (failure !== undefined) say(`${failure.title}. ${state.error?.message ?? ""}`);
        else if (phase === "completed") {
          const text = state.blocks.findLast((block) => block.type === "text" && !block.isVoid);
          say(chatTexts.announce.answer(text?.type === "text" ? opening(text.text) : ""));
        }
      },
    ),
  );
  createEffect(
    on(
      () => pendingApprovals(chat.active()?.state()),
      (pending, before) => {
        const fresh = pending.find(
          (call) => !before?.some((old) => old.callId === call.callId && old.phase === call.phase),
        );
        if (fresh !== undefined)
          ask(
            fresh.phase === "reviewing"
              ? chatTexts.announce.review(fresh.name)
              : chatTexts.announce.approval(fresh.name),
          );
      },
    ),
  );

  const title = () => {
    const count = Math.max(inbox.count(), pendingApprovals(chat.active()?.state()).length);
    const name = chat.conversation()?.title;
    return `${count > 0 ? `(${count}) ` : ""}${name ? `${visibleText(name)} · ` : ""}${shellTexts.product}`;
  };
  createEffect(() => {
    document.title = title();
  });
  createEffect(() => {
    // Only the installed page has a badge.
    const shown: Partial<Pick<Navigator, "setAppBadge">> = navigator;
    shown.setAppBadge?.(inbox.count()).catch(() => {});
  });

  return (
    <>
      <div class="visually-hidden" aria-live="polite" data-testid="announcer">
        {said()}
      </div>
      <div class="visually-hidden" aria-live="assertive">
        {asked()}
      </div>
    </>
  );
}
