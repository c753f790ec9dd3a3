import type { CallOutcomeBody, CallView } from "@capstan/contract";
import { visibleArguments, visibleText } from "@capstan/core/text";
import {
  For,
  createEffect,
  createMemo,
  createSignal,
  on,
  onCleanup,
  onMount,
  Show,
} from "solid-js";
import { client } from "../api/client.ts";
import type { CallState } from "../run/call-state.ts";
import { Icon } from "../shell/icon.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { areAnswersLocked, lockAnswers } from "./answer-lock.ts";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { createFolding, ShowAll } from "./folding.tsx";
import { outcomeText } from "./outcome-text.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import { approvalsTexts } from "../texts/approvals.ts";
import "./approvals.css";

const choices = [
  ["H", "primary", "happened", "happened"],
  ["N", "", "did_not_happen", "didNotHappen"],
  ["G", "quiet", "run_again", "runAgain"],
] as const;

type Found = NonNullable<CallView["found"]>;

/**
 * Asks the user about a call with an unknown outcome. The first answer from any window counts;
 * afterwards the card shows only that answer.
 */
export function OutcomeCard(props: { readonly run: string; readonly call: CallState }) {
  /** `undefined` until the ledger is loaded. */
  const [found, setFound] = createSignal<Found | null>();
  const { isBusy, error, run } = createAction();
  let card!: HTMLElement;
  let note!: HTMLInputElement;

  async function load(): Promise<void> {
    try {
      const calls = await readLedger(props.run);
      const row = calls.find(({ id }) => id === props.call.callId);
      // A call that ended according to the ledger needs no answer.
      if (row?.status === "outcome_unknown") setFound(row.found ?? null);
    } catch {
      // The card stays hidden until the ledger is loaded. The page loads the ledger again when the
      // window gets the focus.
    }
  }
  const look = () => {
    if (found() == null) void load();
  };
  onMount(() => {
    look();
    // The user may have answered in another window or in a terminal.
    window.addEventListener("focus", look);
    onCleanup(() => window.removeEventListener("focus", look));
  });
  // Another run that continued this turn shows the same call.
  createEffect(on(outcomeAnswers, look, { defer: true }));

  async function answer(outcome: CallOutcomeBody["outcome"]): Promise<void> {
    if (isBusy() || areAnswersLocked()) return;
    lockAnswers();
    const said = note.value.trim();
    await run(async () => {
      const body = { outcome, ...(said !== "" && { note: said }) };
      const row = await client.answerOutcome(props.run, props.call.callId, body);
      setFound(row.found ?? null);
      noteOutcomeAnswer();
    });
  }

  return (
    <>
      <Show when={found()}>
        {(known) => (
          <p class="outcome-found dim breaks at-top" role="status" data-testid="outcome-found">
            <Icon name="hand" size={15} />
            <span>
              <VisibleText text={outcomeText(known())} />
            </span>
          </p>
        )}
      </Show>
      <Show when={found() === null}>
        <Question
          call={props.call}
          isSending={isBusy()}
          error={error()}
          ref={(element) => (card = element)}
          noteRef={(element) => (note = element)}
          onAnswer={(outcome) => void answer(outcome)}
          onLeaveNote={() => card.focus()}
        />
      </Show>
    </>
  );
}

function Question(props: {
  readonly call: CallState;
  readonly isSending: boolean;
  readonly error: string | null;
  readonly ref: (element: HTMLElement) => void;
  readonly noteRef: (element: HTMLInputElement) => void;
  readonly onAnswer: (outcome: CallOutcomeBody["outcome"]) => void;
  readonly onLeaveNote: () => void;
}) {
  let card!: HTMLElement;
  let note!: HTMLInputElement;
  const hasKeys = bindApprovalKeys(
    () => card,
    () => true,
  );
  const isLocked = () => props.isSending || areAnswersLocked();
  onMount(lockAnswers);
  const args = createMemo(() => props.call.args && visibleArguments(props.call.args));
  const folding = createFolding(() => args() ?? []);
  return (
    <section
      ref={(element) => props.ref((card = element))}
      class="approval outcome"
      tabindex="-1"
      aria-label={approvalsTexts.outcome.label(visibleText(props.call.name))}
      aria-busy={props.isSending}
      data-testid="outcome-card"
      data-approval={`outcome ${props.call.callId}`}
      data-tool={props.call.name}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing || event.target !== note) return;
        // Leaves the note field; Escape then does not stop the turn.
        event.preventDefault();
        props.onLeaveNote();
      }}
    >
      <header class="approval-head spread">
        <h3>
          {approvalsTexts.outcome.heading.before}{" "}
          <span class="approval-tool">
            <VisibleText isLine text={props.call.name} />
          </span>{" "}
          {approvalsTexts.outcome.heading.after}
        </h3>
        <Show when={props.call.groupTitle}>
          {(title) => (
            <span class="tag">
              <VisibleText isLine text={title()} />
            </span>
          )}
        </Show>
      </header>
      <p class="approval-reason at-top">
        <Icon name="question" size={16} /> {approvalsTexts.outcome.about}
      </p>
      <Show when={args()}>
        {(known) => <ArgumentsView args={known()} isWhole={folding.isWhole()} />}
      </Show>
      <ShowAll
        folding={folding}
        hasKeys={hasKeys}
        testId="outcome-show-all"
        then={approvalsTexts.folding.runAgain}
      />
      <ErrorText class="approval-error" message={props.error} testId="outcome-error" />
      <input
        ref={(element) => props.noteRef((note = element))}
        class="field outcome-note"
        placeholder={approvalsTexts.outcome.note}
        aria-label={approvalsTexts.outcome.noteLabel}
        maxlength={2_000}
        data-testid="outcome-note"
      />
      <div class="approval-actions flow">
        <For each={choices}>
          {([letter, look, outcome, word]) => (
            <AnswerButton
              letter={letter}
              class={look}
              testId={`outcome-${outcome.replaceAll("_", "-")}`}
              isDisabled={isLocked() || (outcome === "run_again" && folding.isFolded())}
              hasKeys={hasKeys}
              onClick={() => props.onAnswer(outcome)}
            >
              {approvalsTexts.outcome[word]}
            </AnswerButton>
          )}
        </For>
      </div>
    </section>
  );
}

const underWay = new Map<string, Promise<readonly CallView[]>>();

/** Reads the calls of a run from the ledger. Cards of the same run share a pending request. */
function readLedger(run: string): Promise<readonly CallView[]> {
  const asked = underWay.get(run);
  if (asked !== undefined) return asked;
  const calls = client.calls(run).finally(() => underWay.delete(run));
  underWay.set(run, calls);
  return calls;
}

const [answers, setAnswers] = createSignal(0);

/** Counts the answers about unknown outcomes. */
const outcomeAnswers = answers;

function noteOutcomeAnswer(): void {
  setAnswers((count) => count + 1);
}
