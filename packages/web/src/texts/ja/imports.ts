import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes, formatCount } from "../numbers/count.ts";

export const imports: Catalogue["imports"] = {
  title: "チャットの読み込み",
  about:
    "ChatGPT（ZIP ファイルまたは conversations.json）、LibreChat（JSON）、Open WebUI（JSON）のチャットに対応しています。テキストのみを読み込み、画像とファイルは含みません。読み込んだチャットは続けられます。",
  choose: "書き出しファイルを選択",
  reading: "書き出しファイルを読み取り中…",
  progress: (done, all) => `${formatCount(done)} / ${formatCount(all)} 件のチャットを読み込み中…`,
  stop: "停止",
  stopped: "読み込みを停止しました。何も読み込まれていません。",
  failed: (reason) => `${reason}何も読み込まれていません。`,
  done: (count, source, skipped) =>
    `${source} の ${formatCount(count)} 件のチャットを読み込みました。${
      skipped === 0
        ? ""
        : `メッセージがない、または大きすぎる ${formatCount(skipped)} 件は除外しました。`
    }`,
  unfinished: "読み込みが中断されました。",
  undo: "読み込んだチャットを削除",
  undoing: "読み込んだチャットを削除中…",
  undone: (count) => `読み込んだ ${formatCount(count)} 件のチャットを削除しました。`,
  notUndone: "一部の読み込んだチャットを削除できませんでした",
  notJson: "JSON でも ChatGPT の ZIP ファイルでもありません。",
  unknown: "ChatGPT、LibreChat、Open WebUI の書き出しファイルではありません。",
  empty: "メッセージのあるチャットが含まれていません。",
  tooMany: (count, most) =>
    `${formatCount(count)} 件のチャットがありますが、一度に読み込めるのは ${formatCount(most)} 件までです。`,
  tooLarge: (most) => `書き出しファイルが ${formatBytes(most)} を超えています。`,
  brokenArchive: "ZIP ファイルが破損しています。",
  noConversations: "ZIP ファイルに conversations.json がありません。",
};
