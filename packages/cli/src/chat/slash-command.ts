/** A line of the chat's own; all others go to the model, `/Tool {…}` lines for the offline model too. */
export type SlashCommand =
  | { readonly type: "quit" | "new" | "help" }
  | { readonly type: "model"; readonly id: string | undefined }
  | { readonly type: "vars"; readonly name: string | undefined }
  | { readonly type: "grants"; readonly revoke: string | undefined }
  | { readonly type: "message"; readonly text: string };

/** @example readSlashCommand("/model openai/gpt-5.5") // { type: "model", id: "openai/gpt-5.5" } */
export function readSlashCommand(line: string): SlashCommand {
  const [, word, rest] =
    /^\/(quit|new|help|model|vars|grants)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  const argument = rest === undefined || rest.trim() === "" ? undefined : rest.trim();
  switch (word) {
    case "model":
      return { type: "model", id: argument };
    case "vars":
      return { type: "vars", name: argument };
    case "grants":
      return { type: "grants", revoke: argument };
    case "quit":
    case "new":
    case "help":
      // `/new ideas for dinner` is a message, not a command with too much behind it.
      return argument === undefined ? { type: word } : { type: "message", text: line };
    default:
      return { type: "message", text: line };
  }
}

export const slashHelp = `/new          a new conversation
/model [ID]   the models there are, or choose one
/vars [NAME]  the conversation's variables, or one in full
/grants [N]   what you allowed or refused for more than one call, or take one back
/quit         leave; Ctrl+C stops an answer, twice leaves
A line that ends with \\ goes on in the next one.`;
