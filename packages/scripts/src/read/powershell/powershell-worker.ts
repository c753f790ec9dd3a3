import { answerWorker } from "@capstan/sandbox";
import type { ParsedFile } from "../../definition/parsed-file.ts";
import { decodeSource } from "../../definition/decode-source.ts";
import { readPowerShell } from "./read-powershell.ts";
import { scanOutline } from "./scan-outline.ts";

// The grammar says the same and takes ten times as long: it is asked where the scanner is in doubt.
await answerWorker(async (input: { readonly sources: readonly Uint8Array[] }) => {
  const parsed: ParsedFile[] = [];
  for (const bytes of input.sources) {
    const source = decodeSource(bytes);
    const scanned = scanOutline(source);
    const outline = scanned.unclosed.length === 0 ? scanned : await outlineByGrammar(source);
    parsed.push(readPowerShell(source, outline ?? scanned));
  }
  return parsed;
});

async function outlineByGrammar(source: string) {
  const { loadTreeReader } = await import("./tree-outline.ts");
  const readTree = await loadTreeReader();
  return readTree(source);
}
