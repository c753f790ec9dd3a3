import { createSignal } from "solid-js";
import { messageOf } from "./api-error.ts";
import { client } from "./client.ts";
import { keepAntiForgeryToken } from "./anti-forgery-token.ts";

const link = /^#pair=([\w-]+)$/;

const [failure, setFailure] = createSignal<string | null>(null);

/** The reason why the pairing link that opened this page failed; null without a failure. */
export const pairingFailure = failure;

/**
 * Pairs this browser if the address is a pairing link, and removes the code from the address.
 *
 * @returns whether the address was a pairing link
 */
export async function pairFromAddress(): Promise<boolean> {
  const code = link.exec(location.hash)?.[1];
  if (code === undefined) return false;
  history.replaceState(null, "", `${location.pathname}#/`);
  try {
    const { anti_forgery_token: token } = await client.pair(code);
    keepAntiForgeryToken(token);
  } catch (error) {
    setFailure(messageOf(error));
  }
  return true;
}
