import { createSignal } from "solid-js";
import { messageOf, withoutPlace } from "../api/api-error.ts";

/**
 * Creates the state of a button's action: whether it is in progress, and its last error.
 *
 * @param field the field name to remove from the start of the server's messages
 */
export function createAction(field = "") {
  const [isBusy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<string | null>(null);

  /** Runs an action, unless one is in progress. @returns whether it succeeded */
  async function run(
    work: () => Promise<unknown>,
    onFailure?: (failure: unknown) => void,
  ): Promise<boolean> {
    if (isBusy()) return false;
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(withoutPlace(messageOf(failure), field));
      onFailure?.(failure);
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, error, setError, run };
}
