import { errorMessage } from "@capstan/core/base";
import type { Journal, StoreWrite } from "../records/store-writes.ts";
import { encodeDeltas } from "./encode-deltas.ts";
import { encodeJournal, containsOnlyHeartbeats } from "./encode-journal.ts";
import type { EncodedJournal, EncodedRequest, EncodedWrite } from "./encoded-journal.ts";

/** One call of `Store.write`, as its caller has it. */
export interface WriteRequest {
  /** When the call was made, in ms since the epoch. */
  readonly at: number;
  readonly writes: readonly StoreWrite[];
}

/** What cannot be put into words fails alone, and with it what follows it in its run. */
export function encodeRequest({ at, writes }: WriteRequest): EncodedRequest {
  try {
    return { at, writes: writes.map(encodeWrite) };
  } catch (thrown) {
    const lost = writes.filter((write) => write.type === "journal").map(withoutContent);
    return { at, writes: lost, encodeError: errorMessage(thrown) };
  }
}

function encodeWrite(write: StoreWrite): EncodedWrite {
  return write.type === "journal" ? (encodeDeltas(write) ?? encodeJournal(write)) : write;
}

/** What the writer is told of a journal that fails: that it was there. */
function withoutContent(journal: Journal): EncodedJournal {
  const { isHeartbeat: _none, ...empty } = encodeJournal({ ...journal, writes: [] });
  return { ...empty, ...(containsOnlyHeartbeats(journal.writes) && { isHeartbeat: true }) };
}
