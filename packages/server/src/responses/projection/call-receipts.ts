import { z } from "zod";
import type { Sealer } from "../../http/sealing.ts";

/**
 * A server call with its result, which a client keeps for the server. Clients that do not know the
 * call's group return the receipt with their history. So the model reads the call again, even if
 * the server has not stored it.
 */
export interface CallReceipt {
  readonly group: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** The result, or the error, as the model read it. */
  readonly result: string;
}

/** Seals a receipt. The same receipt of one owner always has the same sealed form. */
export type SealReceipt = (receipt: CallReceipt) => string;

/** Returns a function that seals the receipts of an owner. */
export function receiptSealer(sealer: Pick<Sealer, "seal">, owner: string): SealReceipt {
  return (receipt) =>
    sealer.seal(owner, JSON.stringify({ type: receiptType, ...receipt }), { isRepeatable: true });
}

/** An opened `encrypted_content`. */
export type OpenedReceipt =
  | { readonly status: "opened"; readonly receipt: CallReceipt }
  /** Another server, or a model, wrote it. */
  | { readonly status: "foreign" }
  /** It is corrupt, or was sealed for another owner or with another key. */
  | { readonly status: "invalid" };

/** Opens the `encrypted_content` of a reasoning item. */
export type OpenReceipt = (sealed: string) => OpenedReceipt;

/** Returns a function that opens the receipts of an owner. */
export function receiptOpener(sealer: Pick<Sealer, "open">, owner: string): OpenReceipt {
  return (sealed) => {
    const opened = sealer.open(owner, sealed);
    if (opened.status !== "opened") return opened;
    const parsed = receiptSchema.safeParse(jsonOf(opened.text));
    return parsed.success
      ? { status: "opened", receipt: parsed.data }
      : // A sealed text of another kind, such as a summary.
        { status: "invalid" };
  };
}

const receiptType = "call";

const receiptSchema = z.object({
  type: z.literal(receiptType),
  group: z.string(),
  name: z.string(),
  arguments: z.string(),
  result: z.string(),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
