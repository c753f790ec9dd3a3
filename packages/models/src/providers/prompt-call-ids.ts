/**
 * Gives each call of a prompt an id that every provider takes: `^[a-zA-Z0-9_-]{1,64}$`, and no
 * other call's. Ids come from elsewhere too, where they may be long, odd, empty or repeated in
 * each turn. Those that are fine stay as they are, so that prompt caches hold.
 */
export function createPromptCallIds(): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    const plain = id.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "call";
    let unique = plain;
    for (let count = 2; used.has(unique); count++) {
      const suffix = `_${count}`;
      unique = plain.slice(0, 64 - suffix.length) + suffix;
    }
    used.add(unique);
    return unique;
  };
}
