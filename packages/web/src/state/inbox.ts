import type { ApprovalView, RunView, UserEvent } from "@capstan/contract";
import { createMemo, createSignal } from "solid-js";
import { client } from "../api/client.ts";
import { createLoaded } from "./loaded.ts";

/** The delay in milliseconds that collects the events of one change. */
const eventDelay = 50;
/** The maximum number of shown requests that another client has answered. */
const maxAnswered = 10;

interface Waiting {
  readonly approvals: readonly ApprovalView[];
  /** Runs that have a call with an unknown outcome. */
  readonly unknown: readonly RunView[];
}

const nothing: Waiting = { approvals: [], unknown: [] };

/**
 * Creates the state of the pending requests of all chats.
 *
 * @param onNew called with requests that arrived since the last time
 */
export function createInbox(onNew: (requests: readonly ApprovalView[]) => void) {
  /** Requests that were answered elsewhere while they were shown. */
  const [answered, setAnswered] = createSignal<readonly ApprovalView[]>([]);
  const answeredHere = new Set<string>();
  let isWatched = false;
  let soon: ReturnType<typeof setTimeout> | undefined;

  const waiting = createLoaded<Waiting>(nothing, async () => {
    const [approvals, unknown] = await Promise.all([
      client.pendingApprovals(),
      client.runsOfUnknownOutcome(),
    ]);
    return {
      // Oldest first, because these requests have waited longest.
      approvals: approvals.filter((entry) => entry.object === "approval").toReversed(),
      unknown: unknown.filter(({ conversation }) => conversation !== null),
    };
  });

  async function refresh(): Promise<void> {
    const before = waiting.isReady() ? waiting.value().approvals : undefined;
    await waiting.refresh();
    if (before === undefined) return;
    const now = waiting.value().approvals;
    const added = now.filter(({ id }) => !before.some((old) => old.id === id));
    if (added.length > 0) onNew(added);
    const gone = before.filter(({ id }) => !now.some((left) => left.id === id));
    if (isWatched) for (const { id } of gone) if (!answeredHere.has(id)) void showAnswer(id);
  }

  async function showAnswer(id: string): Promise<void> {
    // A request that was deleted with its run needs no notice.
    const found = await client.approval(id).catch(() => undefined);
    if (found === undefined || found.status === "pending") return;
    setAnswered((before) => [found, ...before].slice(0, maxAnswered));
  }

  /** Applies a change by this or another client. */
  function note(event: UserEvent): void {
    if (concerns(event, waiting.value())) refreshSoon();
  }

  /** Several changes cause only one request. */
  function refreshSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      void refresh();
    }, eventDelay);
  }

  const count = createMemo(() => {
    const { approvals, unknown } = waiting.value();
    return approvals.length + unknown.length;
  });
  const chats = createMemo(() => {
    const { approvals, unknown } = waiting.value();
    return new Set([...approvals, ...unknown].map(({ conversation }) => conversation));
  });

  return {
    waiting,
    answered,
    count,
    /** Returns whether this conversation has pending requests or unknown outcomes. */
    isWaiting: (conversation: string) => chats().has(conversation),
    refresh,
    refreshSoon,
    note,
    noteAnsweredHere: (id: string) => void answeredHere.add(id),
    /**
     * While the panel is open, requests that other clients answer stay visible with their answer.
     */
    watch(shown: boolean): void {
      isWatched = shown;
      if (!shown) setAnswered([]);
    },
  };
}

/** Returns whether an event can change the pending requests. */
function concerns(event: UserEvent, { approvals, unknown }: Waiting): boolean {
  switch (event.type) {
    case "resync":
    case "approval.requested":
    case "approval.answered":
    case "outcome.requested":
    case "outcome.answered":
      return true;
    case "run.ended":
    case "run.deleted":
      return [...approvals.map(({ run }) => run), ...unknown.map(({ id }) => id)].includes(
        event.run,
      );
    case "conversation.deleted":
      return [...approvals, ...unknown].some(
        ({ conversation }) => conversation === event.conversation,
      );
    default:
      return false;
  }
}
