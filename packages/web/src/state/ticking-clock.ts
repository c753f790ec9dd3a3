import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";
import { client } from "../api/client.ts";

/** Returns the server's time, updated every 100 ms while `active`. */
export function createTickingClock(active: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(client.now());
  createEffect(() => {
    if (!active()) return;
    setNow(client.now());
    const timer = setInterval(() => setNow(client.now()), 100);
    onCleanup(() => clearInterval(timer));
  });
  return now;
}
