/** Text that looks like a key, complete or partly masked, as providers repeat it. */
const keyLike = new RegExp(
  [
    // By how it begins.
    String.raw`\b(?:(?:sk|pk|rk|gsk|xai|hf|ghp|nvapi|pplx)[-_]|AIza|AKIA|ya29\.)[-\w*.…]{6,}[-\w*…]`,
    String.raw`\beyJ[-\w]{8,}\.[-\w.]*[-\w]`,
    String.raw`[-\w]{0,64}\*{3,}[-\w*]*`,
    // Recognised by the text before it.
    String.raw`(?<=\bbearer:?\s["']?)(?!(?:tokens?|auth\w*|keys?|headers?|credentials?|is|was|of|in|or|and|must|not|missing|required)\b)[^\s"'<>,;)]*[^\s"'<>,;).]`,
    String.raw`(?<=(?:key|token|secret|password)["')\]]?\s?=\s?["']?)[^\s"'<>,;)&]+`,
    String.raw`(?<=(?:key|token|secret|password)(?: provided)?["')\]]?\s?:\s?["']?)(?=[^\s"']*\d)[^\s"'<>,;)&]{7,}[^\s"'<>,;)&.]`,
    String.raw`(?<=:\/\/)[^\s/@]+(?=@)`,
  ].join("|"),
  "gi",
);

/** A text without the configured key and without anything that looks like one. */
export function redactKeys(text: string, key: string | undefined): string {
  const own =
    key === undefined || key.length < 4 ? [] : [key, encodeURIComponent(key.toWellFormed())];
  const withoutOwn = own.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
  return withoutOwn.replaceAll(keyLike, "[key]");
}
