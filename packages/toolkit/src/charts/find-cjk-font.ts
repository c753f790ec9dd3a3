import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Characters of Chinese, Japanese and Korean. */
const cjk = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[\u{20000}-\u{3ffff}]/u;

const names =
  /(?:cjk|noto ?sans ?(?:sc|tc|hk|jp|kr)|source ?han|wqy|wenquanyi|droidsansfallback|simsun|simhei|msyh|msgothic|meiryo|malgun|pingfang|hiragino|ipag|takao|unifont|nanum|uming|ukai).*\.(?:ttf|otf|ttc)$/i;

const folders: { readonly [platform: string]: readonly string[] | undefined } = {
  darwin: ["/System/Library/Fonts", "/Library/Fonts", join(homedir(), "Library/Fonts")],
  win32: [join(process.env["SystemRoot"] ?? String.raw`C:\Windows`, "Fonts")],
};
const others = [
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  join(homedir(), ".local/share/fonts"),
  join(homedir(), ".fonts"),
];

/** Returns whether a text has characters of Chinese, Japanese or Korean. */
export function hasCjk(text: string): boolean {
  return cjk.test(text);
}

/**
 * Returns the path of a font of this machine for Chinese, Japanese and Korean, or `undefined` if
 * there is none. Charts contain only a font for European scripts.
 */
export async function findCjkFont(): Promise<string | undefined> {
  for (const folder of folders[process.platform] ?? others) {
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    const found = files.find((file) => names.test(file));
    if (found !== undefined) return join(folder, found);
  }
  return undefined;
}
