import type { CallView } from "@capstan/contract";

type Found = NonNullable<CallView["found"]>;

const words: { readonly [answer in Found["answer"]]: string } = {
  happened: "You said: it happened",
  did_not_happen: "You said: it did not happen",
  run_again: "You said: run it again",
};

/** What a person said of a call of which nobody knew whether it had happened. */
export function outcomeText({ answer, note }: Pick<Found, "answer" | "note">): string {
  return note === undefined ? `${words[answer]}.` : `${words[answer]} (${note}).`;
}
