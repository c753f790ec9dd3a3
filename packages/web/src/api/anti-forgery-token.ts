const storageKey = "capstan.anti-forgery-token";

/**
 * The second token of a paired browser. Unlike the cookie, it is not sent to servers on other
 * ports.
 */
export function antiForgeryToken(): string | null {
  return localStorage.getItem(storageKey);
}

export function keepAntiForgeryToken(token: string): void {
  localStorage.setItem(storageKey, token);
}
