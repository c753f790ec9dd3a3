import type { ContentPart, FilePart, ImagePart } from "../../model/content-part.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { Gate } from "../gate/gate.ts";
import type { SettledCall } from "../record/call-outcome.ts";
import type { CallRecord } from "../record/call-record.ts";

type DataPart = ImagePart | FilePart;

/**
 * Stores the images and files of a result, and replaces their bytes by references. A part that
 * cannot be stored becomes a text with the reason. Client outputs and results without bytes are not
 * changed.
 */
export function storeParts(gate: Gate, settled: SettledCall): SettledCall | Promise<SettledCall> {
  const parts = settled.record.result?.parts;
  if (parts === undefined || !parts.some(awaitsStorage)) return settled;
  return storeAll(gate, settled, parts);
}

/** Whether a part has an id, from `formatResult`, and its bytes are not stored yet. */
function awaitsStorage(part: ContentPart): boolean {
  return isDataPart(part) && part.fileId !== undefined && part.source.type === "base64";
}

function isDataPart(part: ContentPart): part is DataPart {
  return part.type === "image" || part.type === "file";
}

async function storeAll(
  gate: Gate,
  { record, result }: SettledCall,
  given: readonly ContentPart[],
): Promise<SettledCall> {
  const parts: ContentPart[] = [];
  const problems: string[] = [];
  for (const [index, part] of given.entries()) {
    if (!awaitsStorage(part)) {
      parts.push(part);
      continue;
    }
    const stored = await storePart(gate, record, { part: part as DataPart, index });
    parts.push(stored.part);
    if (stored.problem !== undefined) problems.push(stored.problem);
  }
  const kept = record.result as NonNullable<CallRecord["result"]>;
  const finalText = [kept.finalText, ...problems].join("\n");
  return {
    status: "settled",
    record: { ...record, result: { ...kept, finalText, parts } },
    result: { ...result, finalText, parts },
  };
}

async function storePart(
  { storeFile, storedFiles }: Gate,
  { callId, name }: CallRecord,
  { part, index }: { readonly part: DataPart; readonly index: number },
): Promise<{ readonly part: ContentPart; readonly problem?: string }> {
  const { fileId: id, source } = part;
  // The result was reviewed by an executor that stores files, and this one does not.
  if (storeFile === undefined || id === undefined || source.type !== "base64") {
    const { fileId: _id, ...plain } = part;
    return { part: plain };
  }
  const fileName = part.name ?? `${name}-${index + 1}`;
  let reason: string;
  try {
    const { mimeType } = part;
    const stored = await storeFile({ id, name: fileName, mimeType, data: source.data, callId });
    if (stored.status === "stored") {
      const { sha256, size } = stored;
      storedFiles.set(id, sha256);
      return { part: { ...part, source: { type: "blob", sha256, size } } };
    }
    ({ reason } = stored);
  } catch {
    // The message is for the server's administrator: it can name hosts, accounts and paths.
    reason = "the server could not store it";
  }
  const problem = `[${id} was not stored: ${neutralise(reason)}]`;
  return { part: { type: "text", text: problem }, problem };
}
