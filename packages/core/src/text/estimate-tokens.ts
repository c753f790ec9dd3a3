/** About four characters of English to a token. Used where no tokenizer is given. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
