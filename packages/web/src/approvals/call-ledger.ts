import type { CallView } from "@capstan/contract";
import { createSignal } from "solid-js";
import { client } from "../api/client.ts";

const underWay = new Map<string, Promise<readonly CallView[]>>();

/** The calls of a run as the ledger has them. Cards of one run that ask at once share an answer. */
export function readLedger(run: string): Promise<readonly CallView[]> {
  const asked = underWay.get(run);
  if (asked !== undefined) return asked;
  const calls = client.calls(run).finally(() => underWay.delete(run));
  underWay.set(run, calls);
  return calls;
}

const [answers, setAnswers] = createSignal(0);

/** Rises with each answer about an unknown outcome. */
export const outcomeAnswers = answers;

export function noteOutcomeAnswer(): void {
  setAnswers((count) => count + 1);
}
