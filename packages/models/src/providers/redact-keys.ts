/** What keys look like, whole or with a part starred out, as some providers repeat them. */
const keyLike =
  /\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_A-Za-z0-9*.…]{8,}|(?<=\bBearer\s)\S+|(?<=[?&](?:api_?)?key=)[^&\s]+/g;

/** A text without the configured key and without anything that looks like one. */
export function redactKeys(text: string, key: string | undefined): string {
  const withoutOwn = key === undefined || key.length < 4 ? text : text.replaceAll(key, "[key]");
  return withoutOwn.replaceAll(keyLike, "[key]");
}
