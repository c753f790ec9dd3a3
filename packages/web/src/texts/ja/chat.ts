import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount } from "../numbers/count.ts";

const interrupted = {
  title: "このターンの途中でサーバーが停止しました",
  advice: "完了した作業は保存されています。実行中だった呼び出しは効果を及ぼした可能性があります。",
};

const limits: { readonly [limit: string]: string } = {
  rounds: "このターンのラウンド数が上限に達しました。",
  calls: "このターンの呼び出し回数が上限に達しました。",
  tokens: "このターンのトークン数が上限に達しました。",
  time: "このターンの時間が上限に達しました。",
  cost: "このターンの予算を使い切りました。",
  repeats: "同じ呼び出しが何度も失敗しました。",
};

export const chat: Catalogue["chat"] = {
  label: "チャット",
  messages: "メッセージ",
  opening: "チャットを開いています…",
  missing: "このチャットは存在しません。削除された可能性があります。",
  startNew: "新しいチャットを始める",
  tryAgain: "再試行",
  announce: {
    answer: (text) => `回答：${text}`,
    approval: (tool) => `${tool} が承認を求めています。`,
    review: (tool) => `${tool} の結果が承認を求めています。`,
  },
  composer: {
    label: "新しいメッセージ",
    message: "メッセージ",
    placeholder: "してほしいことを入力",
    offlinePlaceholder: "/help、または 1 行に 1 つの /Tool {…}",
    toolGroups: "有効なツールグループ",
    groups: (count) => `${formatCount(count)} グループ`,
    send: "送信",
    sendTitle: "送信（Enter）",
    stop: "停止",
    stopTitle: "停止（Esc）",
    sendHint: "で送信、",
    newLineHint: "で改行",
    stopHint: "でターンを停止",
    queueHint: "でこのターンの後に送信、",
  },
  attachments: {
    attach: "ファイルを添付",
    attachTitle: "ファイルを添付。貼り付けや、チャットへのドラッグもできます",
    list: "このメッセージのファイル",
    uploading: "アップロード中…",
    drop: "ここにドロップして添付",
    pastedName: "貼り付けたテキスト.txt",
    retry: (name) => `${name} を再アップロード`,
    remove: (name) => `${name} を削除`,
    tooMany: (most, leftOut) =>
      `1 つのメッセージに添付できるファイルは ${formatCount(most)} 個までです。${formatCount(leftOut)} 個は添付されませんでした。`,
  },
  queue: {
    label: "送信待ちのメッセージ",
    add: "このターンの後に送信",
    about: "このターンの後に送信されます：",
    held: "ターンが完了しなかったため、送信されませんでした：",
    edit: "メッセージを変更",
    remove: "メッセージを削除",
  },
  stale:
    "このチャットに、別のウィンドウまたはプログラムからの新しいメッセージがあり、上に表示しました。あなたのメッセージは送信されていません。確認してからもう一度送信してください。",
  failures: {
    authentication: {
      title: "プロバイダーがキーを受け付けません",
      advice: "設定で別のキーを登録するか、下で別のモデルを選び、再試行してください。",
    },
    rate_limit: {
      title: "プロバイダーのレート制限に達しました",
      advice:
        "短時間のリクエストが多すぎました。少し待つか、下で別のモデルを選び、再試行してください。",
    },
    insufficient_quota: {
      title: "アカウントの残高がありません",
      advice: "プロバイダーで残高を追加するか、下で別のモデルを選び、再試行してください。",
    },
    context_length: {
      title: "チャットがこのモデルには長すぎます",
      advice:
        "新しいチャットを始めるか、下でコンテキストの大きいモデルを選び、再試行してください。",
    },
    model_not_found: {
      title: "プロバイダーにこのモデルはありません",
      advice: "下で別のモデルを選び、再試行してください。",
    },
    bad_request: {
      title: "プロバイダーがリクエストを拒否しました",
      advice: "理由は上のメッセージにあります。別のモデルなら受け付けるかもしれません。",
    },
    empty_answer: {
      title: "モデルが回答を返しませんでした",
      advice:
        "モデルに 2 回問い合わせました。ツールの結果は保存されています。再試行するか、下で別のモデルを選んでください。",
    },
    connection: {
      title: "プロバイダーに接続できませんでした",
      advice:
        "ネットワークと、モデルのサーバーが動作していることを確認してください。完了した呼び出しは再実行されません。",
    },
    timeout: {
      title: "モデルが応答しなくなりました",
      advice: "制限時間内にデータが届きませんでした。完了した呼び出しは再実行されません。",
    },
    server: {
      title: "プロバイダーでエラーが発生しました",
      advice:
        "プロバイダー側のエラーで、多くは一時的なものです。完了した呼び出しは再実行されません。",
    },
    interrupted,
  },
  interrupted,
  failed: { title: "このターンは失敗しました", advice: "完了した呼び出しは再実行されません。" },
  tookTooLong: {
    title: "このターンは時間がかかりすぎました",
    advice: "制限時間で停止しました。完了した作業は保存されています。",
  },
  stopped: {
    title: "あなたがこのターンを停止しました",
    advice: "完了した作業は保存されています。",
  },
  retry: "再試行",
  setKey: "キーを設定",
  continue: "続ける",
  retryAfter: (time) => `プロバイダーは ${time} 待つことを推奨しています。`,
  turn: {
    sending: "送信中…",
    youSaid: "あなた：",
    retry: (reason, attempt, seconds) =>
      `${reason} ${formatCount(attempt)} 回目の試行を ${formatCount(seconds)} 秒後に始めます。`,
    thinking: "モデルが考えています。",
    gone: "この実行はサーバーにもうありません。ページを再読み込みすると、保存された部分を表示できます。",
    cutOff: "回答はここで途切れました。",
    reasoningOpen: "考え中…",
    reasoning: "モデルの推論",
    restarted: "モデルはここで途切れ、最初からやり直しました",
    limitReached: (limit, message) =>
      `${limits[limit] ?? message}モデルに、ツールを使わずに回答するよう求めました。`,
    tokenLimit: "回答はモデルのトークン上限で終わりました。",
    contentFilter: "プロバイダーのコンテンツフィルターが回答を終了しました。",
    earlierCall: "以前の呼び出し",
  },
  stats: {
    aboutTime: "時間に承認待ちは含みません。",
    about:
      "時間に承認待ちは含みません。結果：モデルに表示したトークンと、変数に保存して表示しなかったトークン。モデル：プロバイダーが数えたトークン。費用：設定ファイルの価格と通貨による計算。",
    calls: (rounds, calls) => `${formatCount(rounds)} ラウンド、${formatCount(calls)} 回の呼び出し`,
    results: (shown, withheld) =>
      `結果：${formatCount(shown)} トークンを表示、${formatCount(withheld)} は非表示`,
    model: (input, cached, output) =>
      `モデル：入力 ${formatCount(input)} トークン${cached ? `（キャッシュ ${formatCount(cached)}）` : ""}、出力 ${formatCount(output)}`,
    cost: (cost) => `費用：${cost}`,
  },
  toEnd: "末尾へ移動",
  copyAnswer: "回答を Markdown でコピー",
  copyMessage: "メッセージをコピー",
  repeat: "もう一度質問",
  repeatTitle: "選択中のモデルでもう一度質問します。この回答は別のバージョンとして残ります",
  edit: "メッセージを変更",
  editTitle: "メッセージを変更して再送信します。このバージョンは残ります",
  notLoaded: "メッセージを読み込めませんでした",
  notRepeated: "メッセージは送信されませんでした",
  editNote: "チャットは変更したメッセージから続きます。元のバージョンは残ります。",
  versions: {
    label: "このメッセージのバージョン",
    previous: "前のバージョン",
    next: "次のバージョン",
    place: (number, count) => `${formatCount(number)} / ${formatCount(count)}`,
  },
  welcome: {
    title: "何をしましょうか？",
    about: "Capstan は言語モデルにツールを与え、その使い方をあなたが管理できるようにします。",
    offline: "オフラインモデルを使用中です。AI ではなく、指定したツールを実行するだけです。",
    addModel: "モデルを追加",
    online: "してほしいことを入力してください。承認が必要な呼び出しは、実行前に確認します。",
    suggestions: "試してみる",
  },
  suggestions: {
    listFolder: { title: "このフォルダーを一覧表示", text: '/ListFiles {"path":"."}' },
    severalCommands: {
      title: "複数のツールを同時に実行",
      text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    },
    fetchCommand: {
      title: "Web ページを取得",
      text: '/FetchWebPage {"url":"https://example.org/"}',
    },
    help: { title: "オフラインモデルでできることを見る", text: "/help" },
    explore: {
      title: "このフォルダーを調べる",
      text: "このフォルダーには何がありますか？重要なファイルを見て、5 行でまとめてください。",
    },
    readPage: {
      title: "Web ページを読む",
      text: "https://example.org を取得して、何のためのページか 2 文で教えてください。",
    },
    several: {
      title: "2 つのことを同時に行う",
      text: "ここにある Markdown ファイルをすべて探し、同時に東京の今日の曜日を教えてください。",
    },
    tools: {
      title: "できることを見る",
      text: "どんなツールがありますか？それを使って何をしてもらえますか？",
    },
    plan: {
      title: "次の一歩を考える",
      text: "今取り組んでいることについて 3 つ質問し、その後で次の一歩を提案してください。",
    },
    explain: {
      title: "説明してもらう",
      text: "乗組員がバーから手を離したとき、キャプスタンはどうやって荷重を支えますか？",
    },
  },
};
