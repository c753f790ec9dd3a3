import { commandTexts } from "../../texts/commands.ts";

/** Returns the message for a pairing link. */
export function pairingText(link: string): string {
  return `  pair     ${link}
           ${commandTexts.pair.link}
`;
}
