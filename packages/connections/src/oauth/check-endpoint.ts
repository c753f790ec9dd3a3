import { addressProblem, isAddress } from "@capstan/sandbox";
import { SignInError } from "./sign-in-error.ts";

/**
 * Checks an address of an authorization server that a browser opens or that receives secrets. It
 * must use https or be on this machine. It must not be private unless the user named its host.
 *
 * @param named the hosts with ports of the connection and of the issuer in its settings
 * @throws SignInError `unsafe_address`
 */
export function checkEndpoint(text: string, named: readonly string[]): URL {
  const url = URL.parse(text);
  const shown = text.slice(0, 200);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new SignInError(
      "unsafe_address",
      `The authorization server states the address ${shown}, which is not an address of a website. Nothing was sent to it.`,
    );
  const isNamed = named.includes(url.host);
  const isLocal = isLoopbackName(url.hostname);
  const isPrivate =
    isLocal || (isAddress(url.hostname) && addressProblem(url.hostname) !== undefined);
  if (isPrivate && !isNamed)
    throw new SignInError(
      "unsafe_address",
      `The authorization server states the address ${shown}, which is in a private network. If it is correct, set "issuer" in "oauth" of the connection to the address of the authorization server.`,
    );
  if (url.protocol === "http:" && !isLocal)
    throw new SignInError(
      "unsafe_address",
      `The authorization server states the address ${shown}, which is not encrypted. An authorization server needs https.`,
    );
  return url;
}

/** Whether a name always means this machine. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

/**
 * Checks the address to which the authorization server sends the browser back: the server's own
 * public address, or an address of this machine.
 *
 * @throws SignInError `unsafe_address`
 */
export function checkRedirect(text: string, publicUrl: string | undefined): string {
  const url = URL.parse(text);
  if (url?.hash === "" && url.search === "") {
    const isOwn = publicUrl !== undefined && url.origin === new URL(publicUrl).origin;
    if (isOwn || (url.protocol === "http:" && isLoopbackName(url.hostname))) return url.href;
  }
  throw new SignInError(
    "unsafe_address",
    `redirect_uri: expected an address of this machine such as http://127.0.0.1:8787/connections/callback${publicUrl === undefined ? ', or set "publicUrl" to the address at which users open the page' : ` or of ${publicUrl}`}.`,
  );
}
