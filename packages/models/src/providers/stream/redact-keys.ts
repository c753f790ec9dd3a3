/** Match text that looks like a key, complete or partly masked, in providers' messages. */
const keyLike = new RegExp(
  [
    // Keys with a known prefix.
    String.raw`\b(?:(?:sk|pk|rk|gsk|xai|hf|ghp|nvapi|pplx)[-_]|AIza|AKIA|ya29\.)[-\w*.…]{6,}[-\w*…]`,
    String.raw`\beyJ[-\w]{8,}\.[-\w.]*[-\w]`,
    String.raw`[-\w]{0,64}\*{3,}[-\w*]*`,
    // Keys after a text that announces a key.
    String.raw`(?<=\bbearer:?\s["']?)(?!(?:tokens?|auth\w*|keys?|headers?|credentials?|is|was|of|in|or|and|must|not|missing|required)\b)[^\s"'<>,;)]*[^\s"'<>,;).]`,
    String.raw`(?<=(?:key|token|secret|password)["')\]]?\s?=\s?["']?)[^\s"'<>,;)&]+`,
    String.raw`(?<=(?:key|token|secret|password)(?: provided)?["')\]]?\s?:\s?["']?)(?=[^\s"']*\d)[^\s"'<>,;)&]{7,}[^\s"'<>,;)&.]`,
    String.raw`(?<=:\/\/)[^\s/@]+(?=@)`,
  ].join("|"),
  "gi",
);

/** Replaces the configured key, and any text that looks like a key, with `[key]`. */
export function redactKeys(text: string, key: string | undefined): string {
  const own =
    key === undefined || key.length < 4 ? [] : [key, encodeURIComponent(key.toWellFormed())];
  const withoutOwn = own.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
  return withoutOwn.replaceAll(keyLike, "[key]");
}
