import type { ApprovalAnswerBody, ApprovalView } from "@capstan/server/contract";
import { createSignal } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { answerApproval } from "../api/endpoints.ts";
import { answersRest, restAnswers } from "./answer-guard.ts";

/** How a card's question is answered: once, and what came of it. */
export function createAnswering(approval: () => string) {
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const isOpen = () => outcome() === null;
  const isLocked = () => isSending() || answersRest() || !isOpen();

  async function send(body: ApprovalAnswerBody): Promise<void> {
    if (isLocked()) return;
    setSending(true);
    setError(null);
    restAnswers();
    try {
      const answered = await answerApproval(approval(), body);
      // The first answer counts: it may have been given in another window.
      setOutcome(answered.status === "pending" ? null : answered.status);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setSending(false);
    }
  }
  return { isSending, isOpen, isLocked, outcome, setOutcome, error, setError, send };
}
