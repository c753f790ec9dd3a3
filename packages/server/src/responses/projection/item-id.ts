/**
 * Ids of items, the same whenever a run's events are read again: an item is named after its
 * response and its position in it, an approval request after the approval.
 */
export function itemIds(responseId: string): (prefix: string, outputIndex: number) => string {
  const suffix = responseId.replace(/^resp_/, "");
  return (prefix, outputIndex) => `${prefix}_${suffix}_${outputIndex}`;
}

const approvalPrefix = "mcpr_";

/** The id of the `mcp_approval_request` item that asks for an approval. */
export function approvalItemId(approvalId: string): string {
  return approvalPrefix + approvalId;
}

/** The approval that an `approval_request_id` of a client means; undefined where it means none of ours. */
export function approvalIdOf(itemId: string): string | undefined {
  return itemId.startsWith(approvalPrefix) ? itemId.slice(approvalPrefix.length) : undefined;
}
