import { answerWorker } from "../../worker/answer-worker.ts";
import { readPowerShell } from "./read-powershell.ts";
import { scanOutline } from "./scan-outline.ts";
import { loadTreeReader } from "./tree-outline.ts";

const readTree = await loadTreeReader();

answerWorker((input: { readonly sources: readonly Uint8Array[] }) =>
  input.sources.map((bytes) => {
    // Windows PowerShell's own editor writes UTF-16.
    const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
    const source = new TextDecoder(isWide ? "utf-16le" : "utf-8").decode(bytes);
    return readPowerShell(source, readTree(source) ?? scanOutline(source));
  }),
);
