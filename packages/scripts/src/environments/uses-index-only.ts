/**
 * Whether requirements name nothing but packages of the index, so that the same text means the same
 * packages in every folder. An option, a path, a URL and an archive's name may mean others.
 *
 * @example usesIndexOnly("boats==1.0\nships[sails]>=2"); // true
 */
export function usesIndexOnly(requirements: string): boolean {
  // Python ends lines at more characters than these.
  if (/[^\t\n\r -~]/.test(requirements)) return false;
  return requirements
    .split(/[\r\n]/)
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .every((line) => line === "" || (plain.test(line) && !archive.test(line)));
}

/** A name, its extras, its versions, and when it is wanted. */
const plain =
  /^[a-z\d](?:[\w.-]*[a-z\d])?\s*(?:\[[\w\s,.-]*\])?\s*(?:[(<>=!~][\w\s.*+!<>=~,()]*)?(?:;[\w\s.<>=!~'"()]*)?$/i;
const archive = /\.(?:whl|zip|tar|tgz|gz|bz2|tbz|xz|txz|tlz|lz|lzma)\b/i;
