import type { ApprovalAnswerBody, ApprovalView } from "@capstan/contract";
import { createSignal } from "solid-js";
import { ApiError } from "@capstan/client";
import { client } from "../api/client.ts";
import { areAnswersLocked, lockAnswers } from "./answer-lock.ts";
import { useApp } from "../state/app-state.ts";
import { createAction } from "../state/action.ts";

/**
 * Creates the state of a card's answer: it sends the answer once and stores its outcome or error.
 */
export function createAnswerSubmission(approval: () => string) {
  const { inbox } = useApp();
  const { isBusy: isSending, error, setError, run } = createAction();
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  /** The field that the error is about; empty if there is none. */
  const [errorField, setErrorField] = createSignal("");
  const isOpen = () => outcome() === null;
  const isLocked = () => isSending() || areAnswersLocked() || !isOpen();

  async function send(body: ApprovalAnswerBody): Promise<void> {
    if (isLocked()) return;
    setErrorField("");
    lockAnswers();
    inbox.noteAnsweredHere(approval());
    await run(
      async () => {
        const answered = await client.answerApproval(approval(), body);
        // The first answer counts, and another window may have sent it.
        setOutcome(answered.status === "pending" ? null : answered.status);
        inbox.refreshSoon();
      },
      (failure) => setErrorField(failure instanceof ApiError ? failure.param : ""),
    );
  }
  return { isSending, isOpen, isLocked, outcome, setOutcome, error, errorField, setError, send };
}
