import type { Catalogue } from "../catalogue/catalogue.ts";

export const errors: Catalogue["errors"] = {
  unreachable: () => "サーバーに接続できません。動作しているか確認してください。",
  server_full: () =>
    "サーバーが混み合っています。何も実行されていません。数秒後に再試行してください。",
  too_many_streams: () =>
    "サーバーへの接続が多すぎます。何も実行されていません。他のタブを閉じて再試行してください。",
  invalid_api_key: () =>
    "このサーバーには有効な API キーが必要です。capstan pair で表示されるリンクから、このブラウザーをペアリングすることもできます。",
  pairing_code_invalid: () =>
    "このリンクは使用済みか、10 分を過ぎています。capstan pair で新しいリンクを表示できます。",
  right_missing: () => "この操作を行う権限がありません。",
  rate_limit_exceeded: () => "レート制限に達しました。少し待ってから再試行してください。",
  insufficient_quota: () => "プロバイダーのアカウントの残高がありません。",
  file_too_large: () => "ファイルがサーバーの上限（limits.fileBytes）を超えています。",
  file_quota_exceeded: () =>
    "ファイルの保存容量がいっぱいです。何も保存されていません。不要なファイルを削除してください。",
  conversation_not_found: () => "このチャットは存在しません。削除された可能性があります。",
  conversation_too_long: () => "チャットが長すぎるため、この操作はできません。",
  history_too_large: () =>
    "チャットの履歴がサーバーの上限（limits.bytesOfOne）を超えています。新しいチャットを始めてください。",
};
