import type { BrowserContext } from "playwright-core";

/**
 * With `SLOW_NETWORK_MS=700` each request of a page is delayed by a random time up to this value.
 * This reveals tests that do not wait long enough. Without it, nothing is delayed.
 */
export async function slowNetwork(context: BrowserContext): Promise<void> {
  const most = Number(process.env["SLOW_NETWORK_MS"] ?? 0);
  if (most === 0) return;
  await context.route(/\/v1\/|\/healthz/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    // The page may have been closed meanwhile.
    await route.continue().catch(() => {});
  });
}
