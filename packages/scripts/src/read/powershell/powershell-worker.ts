import { answerWorker } from "@capstan/sandbox";
import { decodeSource, type ParsedFile } from "../../definition/parsed-file.ts";
import { readPowerShell } from "./read-powershell.ts";

await answerWorker((input: { readonly sources: readonly Uint8Array[] }) =>
  input.sources.map((bytes): ParsedFile => readPowerShell(decodeSource(bytes))),
);
