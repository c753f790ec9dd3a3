import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes } from "../numbers/count.ts";

export const exports: Catalogue["exports"] = {
  user: "あなた",
  assistant: "アシスタント",
  failed: (message) => `このターンは失敗しました：${message}`,
  markdown: "Markdown で書き出す",
  json: "JSON で書き出す",
  zip: "すべてのファイルと一緒に書き出す",
  running: "書き出しを準備中…",
  notExported: "チャットを書き出せませんでした",
  tooLarge: (bytes, most) =>
    `ファイルの合計は ${formatBytes(bytes)} ですが、まとめられるのは ${formatBytes(most)} までです。Markdown で書き出し、ファイルを 1 つずつダウンロードしてください。`,
};
