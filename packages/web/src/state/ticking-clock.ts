import { createEffect, createSignal, onCleanup, type Accessor } from "solid-js";
import { serverNow } from "../api/server-clock.ts";

/** The server's time, ticking every 100 ms while `active`. */
export function createTickingClock(active: Accessor<boolean>): Accessor<number> {
  const [now, setNow] = createSignal(serverNow());
  createEffect(() => {
    if (!active()) return;
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), 100);
    onCleanup(() => clearInterval(timer));
  });
  return now;
}
