import { errorMessage } from "@capstan/core/base";
import { encodeRequest, type WriteRequest } from "./encode-request.ts";
import { type EncodedRequest, isJournaled } from "./encoded-journal.ts";
import { type PackedWrite, packWrite } from "./pack-journal.ts";

/** A call on its way to a thread. */
export type PostedRequest = Omit<EncodedRequest, "writes"> & {
  readonly writes: readonly PackedWrite[];
};

export function postRequest(request: WriteRequest): PostedRequest {
  const encoded = encodeRequest(request);
  try {
    return { ...encoded, writes: encoded.writes.map(packWrite) };
  } catch (thrown) {
    const journals = encoded.writes.filter(isJournaled);
    return { ...encoded, writes: journals.map(packWrite), encodeError: errorMessage(thrown) };
  }
}
