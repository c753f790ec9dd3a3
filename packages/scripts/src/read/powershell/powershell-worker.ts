import { answerWorker } from "@capstan/sandbox";
import type { ParsedFile } from "../../definition/parsed-file.ts";
import { decodeSource } from "../../definition/decode-source.ts";
import { readPowerShell } from "./read-powershell.ts";

await answerWorker((input: { readonly sources: readonly Uint8Array[] }) =>
  input.sources.map((bytes): ParsedFile => readPowerShell(decodeSource(bytes))),
);
