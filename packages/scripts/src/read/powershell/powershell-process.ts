import { decodeSource, type ParsedFile } from "../../definition/parsed-file.ts";
import { readPowerShell } from "./read-powershell.ts";

// This process does not have the server's export conditions, so its modules must not import other
// packages of Capstan.
process.once(
  "message",
  ({ input: { sources } }: { readonly input: { readonly sources: readonly Uint8Array[] } }) => {
    const parsed = sources.map((bytes): ParsedFile => readPowerShell(decodeSource(bytes)));
    process.send?.(parsed, () => process.disconnect?.());
  },
);
