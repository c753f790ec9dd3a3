import { createHash } from "node:crypto";
import type { ScriptLanguage } from "./script-function.ts";

/**
 * Returns the id of a script's group. It depends on the file's name only, so that it stays the same
 * for any content and any other files. For Python it is the plain name, for PowerShell it ends in
 * `-ps1`. In a name that is not an id, invalid characters are replaced, and a hash of the name is
 * appended.
 *
 * @example groupIdOf("weather", "python") // "weather"
 *
 * @example groupIdOf("weather", "powershell") // "weather-ps1"
 */
export function groupIdOf(name: string, language: ScriptLanguage): string {
  const suffix = language === "powershell" ? "-ps1" : "";
  const plain = name.normalize("NFC");
  const id = plain.replaceAll(/[^a-zA-Z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "");
  if (id === plain && id.length + suffix.length <= 64) return id + suffix;
  const mark = createHash("sha256").update(plain).digest("hex").slice(0, 8);
  return `${id.slice(0, 50) || "script"}-${mark}${suffix}`;
}
