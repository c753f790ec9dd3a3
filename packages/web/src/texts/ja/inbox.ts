import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount } from "../numbers/count.ts";

export const inbox: Catalogue["inbox"] = {
  title: "対応待ち",
  open: (count) => `${formatCount(count)} 件のリクエストが対応待ちです`,
  empty: "対応待ちのリクエストはありません。",
  about: "すべてのチャットで承認を待つ呼び出しです。",
  ofChat: (title) => `「${title}」`,
  openChat: "チャットを開く",
  notOpened: "リクエストを開けませんでした",
  ofProgram: "プログラムから",
  unknown: (title) => `「${title}」の呼び出しが効果を及ぼした可能性があります。`,
  unknownAnswer: "結果を報告",
  together: {
    allow: (count) => `${formatCount(count)} 件すべてを今回のみ許可`,
    about: (tools) => `全体が表示されている読み取り専用の呼び出しだけを許可します：${tools}。`,
    failed: "すべての呼び出しを許可できませんでした",
  },
  answered: (tool, answer, time) =>
    `${tool}：別のウィンドウまたはプログラムで回答済み（${answer}、${time}）。`,
  ended: (tool, reason, time) => `${tool}：${reason}（${time}）。`,
  answers: {
    pending: "未回答",
    allowed: "許可しました",
    refused: "拒否しました",
    released: "結果を渡しました",
    redacted: "一部の語を伏せて結果を渡しました",
    replaced: "結果を置き換えました",
    withheld: "結果を渡しませんでした",
    expired: "期限切れ",
    cancelled: "ターンが終了しました",
  },
  notifications: {
    offer: "このページが隠れているときに通知",
    on: "このページが隠れているとき、新しいリクエストをこのブラウザーで通知します。",
    off: "オフにする",
    denied:
      "このブラウザーはこのページの通知をブロックしています。ブラウザーの設定で許可してください。",
    title: (tool) => `${tool} が承認を求めています`,
    body: (chat) => `「${chat}」`,
  },
};
