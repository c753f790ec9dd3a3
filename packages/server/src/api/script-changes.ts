import type { ScriptAuthoring, ScriptsChanged } from "@capstan/contract";

/**
 * Says at once where things stand, and again whenever something changed. Of changes that come
 * faster than they are read only that there were some is told: nothing gathers.
 */
export async function* scriptChanges(
  authoring: Pick<ScriptAuthoring, "subscribe">,
  signal: AbortSignal,
): AsyncGenerator<ScriptsChanged> {
  let news = Promise.withResolvers<void>();
  const tell = () => news.resolve();
  const end = authoring.subscribe(tell);
  signal.addEventListener("abort", tell, { once: true });
  try {
    for (let revision = 1; !signal.aborted; revision++) {
      news = Promise.withResolvers();
      yield { type: "scripts.changed", revision };
      await news.promise;
    }
  } finally {
    end();
    signal.removeEventListener("abort", tell);
  }
}
