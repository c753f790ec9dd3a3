import type { ChainError } from "@capstan/core";
import type { AwaitedView, RunView } from "@capstan/contract";
import type { ListedRun } from "@capstan/store";

/** The error of a run whose rows cannot be read. */
export const damaged: ChainError = {
  code: "run_damaged",
  message: `What is stored of this run cannot be read. "capstan db check" says what is damaged; restore the last backup, or delete the run.`,
  phase: "chain",
};

/**
 * A run as the API shows it.
 *
 * @param submitted the calls whose outputs it has and has not taken yet: they are not asked for again
 */
export function runView(run: ListedRun, submitted: readonly string[] = []): RunView {
  return {
    id: run.id,
    object: "run",
    conversation: run.conversationId,
    previous: run.parentId,
    status: run.status,
    waiting: run.status === "requires_action" ? awaited(run, submitted) : [],
    model: run.model,
    input: run.input,
    input_cut: run.isInputCut,
    created_at: run.createdAt,
    ended_at: run.endedAt,
    error: run.isDamaged === true ? damaged : (run.result?.error ?? null),
    usage: run.result?.usage ?? null,
    stats: run.result?.stats ?? null,
    last_seq: run.lastSeq,
  };
}

function awaited({ result }: ListedRun, submitted: readonly string[]): readonly AwaitedView[] {
  return (result?.waiting ?? []).flatMap((one): readonly AwaitedView[] => {
    const { callId: call } = one;
    switch (one.type) {
      case "approval":
        return [{ type: "approval", call, approval: one.approval.id }];
      case "review":
        return [{ type: "review", call, approval: one.review.id }];
      case "client_call": {
        const { name, argumentsText } = one;
        if (submitted.includes(call)) return [];
        return [{ type: "client_call", call, name, arguments: argumentsText }];
      }
    }
  });
}
