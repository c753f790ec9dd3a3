import { CommandFailure } from "../../arguments/command.ts";
import { chatTexts } from "../../texts/chat.ts";

const maxBytes = 20_000_000;

/**
 * Reads standard input to its end. Returns an empty text if it is a terminal.
 *
 * @throws CommandFailure if it is not UTF-8, or has more than 20 MB
 */
export async function readPipedText(input: NodeJS.ReadStream): Promise<string> {
  if (input.isTTY) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  for await (const chunk of input) {
    const piece = chunk as Uint8Array;
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new CommandFailure(chatTexts.ask.longInput, 2);
    text += decode(decoder, piece);
  }
  return (text + decode(decoder)).trim();
}

function decode(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    throw new CommandFailure(chatTexts.ask.invalidInput, 2);
  }
}
