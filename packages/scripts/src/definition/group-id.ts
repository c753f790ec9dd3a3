import { createHash } from "node:crypto";
import type { ScriptLanguage } from "./script-function.ts";

/**
 * The id of a script's group, from its name alone, so that it is the same whatever the file says
 * and whatever stands beside it. Python's is the plain name, PowerShell's ends in `-ps1`. A name
 * that is no id keeps what can be kept, and a mark of the rest.
 *
 * @example groupIdOf("weather", "python") // "weather"
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
