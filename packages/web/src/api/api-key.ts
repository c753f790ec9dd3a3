import { createSignal } from "solid-js";

const storageKey = "capstan.api-key";

const [wanted, setWanted] = createSignal(false);
const [revision, setRevision] = createSignal(0);

/** Whether the server refused a request for want of a key. */
export const apiKeyWanted = wanted;

/** Counts the keys that were given; what failed without one may watch it and try again. */
export const apiKeyRevision = revision;

/** The key of this tab; it is gone when the tab is. */
export function apiKey(): string | null {
  return sessionStorage.getItem(storageKey);
}

export function giveApiKey(key: string): void {
  sessionStorage.setItem(storageKey, key);
  setWanted(false);
  setRevision((count) => count + 1);
}

export function askForApiKey(): void {
  setWanted(true);
}
