import { nearestNames } from "@capstan/core/host";

/**
 * ` Did you mean X?`, or nothing where no candidate is near.
 *
 * @example didYouMean("groops", ["groups", "tools"]) // " Did you mean groups?"
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const [nearest] = nearestNames(name, candidates, 1);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}
