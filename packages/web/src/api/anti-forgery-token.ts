const storageKey = "capstan.anti-forgery-token";

/** The second token of a paired browser. Unlike its cookie, no server at another port gets it. */
export function antiForgeryToken(): string | null {
  return localStorage.getItem(storageKey);
}

export function keepAntiForgeryToken(token: string): void {
  localStorage.setItem(storageKey, token);
}
