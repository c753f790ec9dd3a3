import { createSignal } from "solid-js";
import { messageOf, withoutPlace } from "../api/api-error.ts";

/**
 * What a button does: whether it goes on, and why it failed the last time.
 *
 * @param field whose name the server's messages begin with, and the page need not repeat
 */
export function createAction(field = "") {
  const [isBusy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<string | null>(null);

  /** Does something, unless something goes on. @returns whether it went well */
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
