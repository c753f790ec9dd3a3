// Writes o200k.br from the table of gpt-tokenizer: node packages/models/data/make-token-table.ts
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const table = readFileSync(
  new URL(import.meta.resolve("gpt-tokenizer/data/o200k_base.tiktoken")),
  "utf8",
);
const tokens = table
  .trimEnd()
  .split("\n")
  .map((line, rank) => {
    const [token = "", number] = line.split(" ");
    if (Number(number) !== rank)
      throw new Error(`Line ${rank + 1} does not have the rank ${rank}.`);
    return Buffer.from(token, "base64");
  });
const content = Buffer.concat(tokens.flatMap((token) => [Buffer.of(token.length), token]));
const params = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
};
writeFileSync(new URL("o200k.br", import.meta.url), brotliCompressSync(content, { params }));
