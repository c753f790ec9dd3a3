import type { SignInAnswerBody } from "@capstan/contract";
import { client } from "../api/client.ts";
import { messageOf } from "../api/api-error.ts";
import { showToast } from "../state/toasts.ts";
import { connectionsTexts as texts } from "../texts/connections.ts";
import { shellTexts } from "../texts/shell.ts";

/**
 * The `state` parameter of the sign-in that this tab started. Answers to other tabs' sign-ins are
 * ignored.
 */
const stateKey = "capstan-sign-in";

/** Starts a sign-in: the browser goes to the authorization server, and returns to this page. */
export async function goToSignIn(name: string): Promise<void> {
  const started = await client.startSignIn(name, { redirect_uri: `${location.origin}/` });
  const { protocol } = new URL(started.url);
  if (!/^https?:$/.test(protocol)) throw new Error(texts.failed);
  sessionStorage.setItem(stateKey, started.state);
  location.assign(started.url);
}

/**
 * Completes a sign-in if the browser has just returned from one. The answer is removed from the
 * address first.
 *
 * @returns whether the browser has returned from a sign-in
 */
export async function returnFromSignIn(): Promise<boolean> {
  const parameters = new URLSearchParams(location.search);
  const state = parameters.get("state");
  if (state === null) return false;
  history.replaceState(null, "", location.pathname + location.hash);
  const expected = sessionStorage.getItem(stateKey);
  sessionStorage.removeItem(stateKey);
  if (state !== expected) {
    showToast({ text: texts.strange, tone: "danger" });
    return true;
  }
  const given = (key: "code" | "iss" | "error") => {
    const value = parameters.get(key);
    return value === null ? {} : { [key]: value };
  };
  const answer: SignInAnswerBody = {
    state,
    ...given("code"),
    ...given("iss"),
    ...given("error"),
  };
  try {
    const { name } = await client.finishSignIn(answer);
    showToast({ text: texts.signedIn(name) });
  } catch (failure) {
    showToast({
      text: shellTexts.failure(texts.failed, messageOf(failure)),
      tone: "danger",
      ms: 20_000,
    });
  }
  return true;
}
