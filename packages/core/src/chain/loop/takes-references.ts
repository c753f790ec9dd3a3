import type { ToolOffer } from "../../tool/tool-offer.ts";

/** Asked every round, and mostly of the same offer. */
const known = new WeakMap<ToolOffer, boolean>();

/** Whether tools are offered that could take a value by its variable's name: others than a client's own. */
export function takesReferences(offer: ToolOffer): boolean {
  let takes = known.get(offer);
  if (takes === undefined) {
    takes = Object.keys(offer.names).length > 0;
    known.set(offer, takes);
  }
  return takes;
}
