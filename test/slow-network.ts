import type { BrowserContext } from "playwright-core";

/**
 * With `SLOW_NETWORK_MS=700` each request of a page waits up to so long, at random: what a test
 * takes for granted although it is not there yet shows. Without it, nothing.
 */
export async function slowNetwork(context: BrowserContext): Promise<void> {
  const most = Number(process.env["SLOW_NETWORK_MS"] ?? 0);
  if (most === 0) return;
  await context.route(/\/v1\/|\/healthz/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    // The page may have been left meanwhile.
    await route.continue().catch(() => {});
  });
}
