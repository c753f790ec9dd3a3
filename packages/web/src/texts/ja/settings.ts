import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount } from "../numbers/count.ts";

const openLink = "を実行し、表示されたリンクをこのブラウザーで開いてください。";

export const settings: Catalogue["settings"] = {
  key: {
    title: "このサーバーには API キーが必要です",
    rejected: "キーは受け付けられませんでした。",
    ask: { before: "サーバーの管理者から", after: "のキーを 1 つ受け取ってください。" },
    storage: "キーはこのタブにのみ保存されます。",
    pair: {
      before: "代わりにこのブラウザーをペアリングするには、サーバーのマシンで",
      after: openLink,
    },
    field: "API キー",
    submit: "このキーを使う",
  },
  configuration: {
    before:
      "設定ファイルの許可範囲が、最後に承諾したバージョンより広いため、まだ適用されていません。確認して承諾するには、サーバーのマシンで",
    after: "を実行し、サーバーを再起動してください。",
  },
  pairing: {
    before:
      "このブラウザーはメッセージを送信できますが、呼び出しは承認できません。ペアリングするには、サーバーのマシンで",
    after: openLink,
    anyone: "このサーバーを使えるユーザーは誰でも呼び出しを承認できます。",
    paired:
      "呼び出しは、ペアリングしたブラウザーとターミナル、または承認の権限を持つ API キーで承認できます。",
  },
  dialog: {
    open: "設定",
    title: "設定",
    close: "設定を閉じる",
    sections: "設定の項目",
    loading: "設定を読み込み中…",
    names: {
      general: "一般",
      models: "モデルとキー",
      agents: "エージェント",
      tools: "ツール",
      usage: "使用量",
      data: "データ",
    },
  },
  general: {
    theme: "テーマ",
    themes: { system: "システム", light: "ライト", dark: "ダーク" },
    language: "言語",
    systemLanguage: "ブラウザーの言語",
    languageNotLoaded: "言語を変更できませんでした",
    mode: "表示モード",
    modes: { plain: "シンプル", expert: "エキスパート" },
    aboutMode: "エキスパートモードでは、トークン数、JSON の引数、イベントのデータも表示します。",
    instructions: "すべてのチャットへの指示",
    aboutInstructions:
      "モデルはメッセージのたびにこの指示を読みます。エージェント自身の指示が先になります。",
    save: "保存",
    notifications: "通知",
    noNotifications:
      "このブラウザーはこのページの通知を表示しません。HTTPS か、同じマシンのアドレスが必要です。",
  },
  notSaved: "設定を保存できませんでした",
  picker: {
    title: "モデルを選択",
    button: (title) => `モデル：${title}`,
    search: "モデルとエージェントを検索",
    default: "既定",
    agent: "エージェント",
    favorite: (title) => `お気に入り：${title}`,
    nothing: "一致するモデルやエージェントはありません。",
  },
  agents: {
    about: "エージェントは、指示とツールを持つモデルです。チャットではモデルと同じように選べます。",
    add: "新しいエージェント",
    newTitle: "新しいエージェント",
    empty: "エージェントはまだありません。",
    configured: "設定ファイルから",
    edit: (title) => `${title} を変更`,
    remove: (title) => `${title} を削除`,
    notDeleted: "エージェントを削除できませんでした",
    overridden: "未使用：設定ファイルに同じ名前のエージェントがあります。",
    title: "名前",
    model: "モデル",
    defaultModel: "サーバーの既定のモデル",
    instructions: "指示",
    temperature: "温度、0～2（空欄：プロバイダーの既定値）",
    tools: "ツール",
    allGroups: "チャットで有効なツール",
    groupsOfChat: "チャットのツール",
    groups: (count) => `${formatCount(count)} 個のツールグループ`,
  },
  toolDefaults: {
    about:
      "新しいチャットで有効なツールグループです。チャットごとに「ツール」パネルで変更できます。",
  },
  models: {
    about:
      "キーを追加すると、プロバイダーのモデルを使えます。このサーバーの全ユーザーが使えるようになります。",
    current: "新しいメッセージの送信先：",
    closed: {
      before:
        "キーを設定できるのは管理者だけです。このブラウザーを管理者として使うには、サーバーのマシンで",
      after: openLink,
    },
    sources: {
      stored: "キーを保存済み",
      environment: "環境変数から",
      none: "未設定",
      unreadable: "読み取り不可",
    },
    storedWithoutKey: "保存済み",
    stored: "キーはここで設定されました。",
    environment: (variable, place) =>
      place === ""
        ? `サーバーの環境に ${variable} が設定されています。`
        : `サーバーの環境に ${variable} が設定されています：${place}`,
    none: "キーは設定されていません。",
    aboutCustom: "例：LM Studio、vLLM、llama.cpp、ゲートウェイ。",
    unreadable: "サーバーの秘密鍵が変わりました。キーをもう一度入力してください。",
    add: "追加",
    replace: "置き換える",
    remove: "削除",
    key: (title) => `${title} の API キー`,
    optionalKey: "API キー（サーバーが必要とする場合）",
    url: "ベース URL",
    defaultModel: "既定のモデル（サーバーの一覧の先頭でない場合）",
    storage: "キーを試してから、暗号化して保存します。保存後は読み取れず、置き換えのみできます。",
    trying: "キーを試しています…",
    save: "試して保存",
  },
  data: {
    retention: "保存されたチャット",
    kept: (days, megabytes) => {
      const rules = [
        ...(days === null
          ? []
          : [`チャットは、${formatCount(days)} 日間変更がないと削除されます。`]),
        ...(megabytes === null
          ? []
          : [
              `すべてのチャットが合計 ${formatCount(megabytes)} MB を超えると、古いものから削除されます。`,
            ]),
      ];
      return rules.length === 0
        ? "チャットは、削除するまでサーバーに保存されます。"
        : rules.join("");
    },
  },
  usage: {
    about: "終了した回答です。削除したチャットは含みません。",
    period: "期間",
    days: (days) => `過去 ${formatCount(days)} 日間`,
    loading: "読み込み中…",
    empty: "この期間にモデルは使われていません。",
    cost: "費用",
    input: "入力トークン",
    output: "出力トークン",
    answers: "回答",
    model: "モデル",
    byModel: "モデル別の使用量",
    perDay: "1 日あたりのトークン",
    chart: (days) => `過去 ${formatCount(days)} 日間の日ごとのトークン`,
    day: (day, tokens, cost) => `${day}：${tokens} トークン、費用 ${cost}`,
    cached: (count) => `うち ${count} はプロバイダーのキャッシュ`,
    unknown: "–",
    atLeast: (cost) => `≥ ${cost}`,
    inExpertMode: "エキスパートモードではトークンも表示します。「一般」で選べます。",
    unpriced:
      "一部のモデルには価格がないため、その費用は含まれていません。管理者は設定ファイルで価格を設定できます。",
  },
  switchTheme: { dark: "ダークテーマに切り替え", light: "ライトテーマに切り替え" },
  tools: {
    about:
      "このチャットでモデルが呼び出せるツールです。ツールとそのグループの両方がオンのときに使えます。",
    aboutNew:
      "次のチャットでモデルが呼び出せるツールです。ツールとそのグループの両方がオンのときに使えます。",
    empty: "このサーバーにツールはありません。",
    alwaysOffered: (execution) => `${execution}、常に利用可能`,
    found: (execution) => `${execution}、このチャットで発見`,
    needs: (what) => `${what} が必要`,
    executions: {
      auto: "承認なしで実行",
      "ask-once": "1 回承認が必要",
      "ask-always": "毎回承認が必要",
      deny: "実行しない",
      depends: "承認が必要な場合あり",
    },
  },
};
