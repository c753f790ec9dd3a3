import type { ApprovalAnswerBody, ApprovalView } from "@capstan/contract";
import { createSignal } from "solid-js";
import { ApiError } from "@capstan/client";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { areAnswersLocked, lockAnswers } from "./answer-lock.ts";

/** How a card's question is answered: once, and what came of it. */
export function createAnswerSubmission(approval: () => string) {
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  /** The field that the error is about; empty where it is about none. */
  const [errorField, setErrorField] = createSignal("");
  const isOpen = () => outcome() === null;
  const isLocked = () => isSending() || areAnswersLocked() || !isOpen();

  async function send(body: ApprovalAnswerBody): Promise<void> {
    if (isLocked()) return;
    setSending(true);
    setError(null);
    setErrorField("");
    lockAnswers();
    try {
      const answered = await client.answerApproval(approval(), body);
      // The first answer counts: it may have been given in another window.
      setOutcome(answered.status === "pending" ? null : answered.status);
    } catch (failure) {
      setErrorField(failure instanceof ApiError ? failure.param : "");
      setError(messageOf(failure));
    } finally {
      setSending(false);
    }
  }
  return { isSending, isOpen, isLocked, outcome, setOutcome, error, errorField, setError, send };
}
