import { createSignal, type Accessor } from "solid-js";
import { messageOf } from "../api/api-error.ts";

/** A value that is loaded from the server. */
export interface Loaded<Value> {
  readonly value: Accessor<Value>;
  /** Whether the value was loaded at least once. Before that, it has its initial value. */
  readonly isReady: Accessor<boolean>;
  readonly error: Accessor<string | null>;
  /** Loads the value again. If requests overlap, the newest one counts. Never rejects. */
  readonly refresh: () => Promise<void>;
  /**
   * Applies a change that the server has made. Earlier requests lack this change and are repeated.
   */
  readonly set: (change: (value: Value) => Value) => void;
  /** Resets the value and ignores pending requests. */
  readonly clear: () => void;
}

export function createLoaded<Value>(initial: Value, load: () => Promise<Value>): Loaded<Value> {
  const [value, setValue] = createSignal<Value>(initial);
  const [isReady, setReady] = createSignal(false);
  const [error, setError] = createSignal<string | null>(null);
  let newest = 0;
  let isLoading = false;

  async function refresh(): Promise<void> {
    const turn = ++newest;
    isLoading = true;
    try {
      const loaded = await load();
      if (turn !== newest) return;
      setValue(() => loaded);
      setReady(true);
      setError(null);
    } catch (failure) {
      if (turn === newest) setError(messageOf(failure));
    } finally {
      if (turn === newest) isLoading = false;
    }
  }

  return {
    value,
    isReady,
    error,
    refresh,
    set(change) {
      setValue((before) => change(before));
      if (isLoading) void refresh();
    },
    clear() {
      newest += 1;
      isLoading = false;
      setValue(() => initial);
      setReady(false);
      setError(null);
    },
  };
}
