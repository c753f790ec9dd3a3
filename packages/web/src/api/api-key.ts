import { createSignal } from "solid-js";

const storageKey = "capstan.api-key";

const [wanted, setWanted] = createSignal(false);
const [revision, setRevision] = createSignal(0);

/** Whether the server rejected a request because it had no valid API key. */
export const apiKeyWanted = wanted;

/**
 * Counts the keys that the user entered. Watch it to repeat a request that failed without a key.
 */
export const apiKeyRevision = revision;

/** Returns the API key of this tab. It is stored until the tab is closed. */
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
