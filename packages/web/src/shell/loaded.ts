import { createSignal, type Accessor } from "solid-js";
import { messageOf } from "../api/api-error.ts";

/** A value from the server, as far as it is here. */
export interface Loaded<Value> {
  readonly value: Accessor<Value>;
  /** Whether it came at least once. */
  readonly isReady: Accessor<boolean>;
  readonly error: Accessor<string | null>;
  /** Asks again; of several that overlap the newest counts. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly set: (change: (value: Value) => Value) => void;
}

export function createLoaded<Value>(initial: Value, load: () => Promise<Value>): Loaded<Value> {
  const [value, setValue] = createSignal<Value>(initial);
  const [isReady, setReady] = createSignal(false);
  const [error, setError] = createSignal<string | null>(null);
  let newest = 0;

  async function refresh(): Promise<void> {
    const turn = ++newest;
    try {
      const loaded = await load();
      if (turn !== newest) return;
      setValue(() => loaded);
      setReady(true);
      setError(null);
    } catch (failure) {
      if (turn === newest) setError(messageOf(failure));
    }
  }

  return {
    value,
    isReady,
    error,
    refresh,
    set: (change) => void setValue((before) => change(before)),
  };
}
