import type { Catalogue } from "../catalogue/catalogue.ts";

export const shortcuts: Catalogue["shortcuts"] = {
  title: "キーボードショートカット",
  close: "ショートカットの一覧を閉じる",
  open: "キーボードショートカットを表示",
  list: [
    { keys: ["Enter"], does: "メッセージを送信" },
    { keys: ["Shift", "Enter"], does: "メッセージ内で改行" },
    { keys: ["Ctrl", "K"], does: "チャットを検索" },
    { keys: ["Esc"], does: "パネルを閉じる、またはターンを停止" },
    { keys: ["Alt", "A"], does: "承認待ちの呼び出しを許可" },
    { keys: ["Alt", "S"], does: "同様の呼び出しも許可" },
    { keys: ["Alt", "R"], does: "呼び出しを拒否（1 回目で理由の欄を選択）" },
    { keys: ["Alt", "E"], does: "呼び出しの引数を編集" },
    { keys: ["Alt", "V"], does: "呼び出し全体を表示" },
    { keys: ["?"], does: "この一覧を表示" },
  ],
};
