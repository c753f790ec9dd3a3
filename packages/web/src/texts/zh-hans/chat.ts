import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount } from "../numbers/count.ts";

const interrupted = {
  title: "服务器在本轮中途停止了",
  advice: "已完成的工作已保存。当时正在运行的调用可能已经生效。",
};

const limits: { readonly [limit: string]: string } = {
  rounds: "本轮的工具调用轮数已达上限。",
  calls: "本轮的工具调用次数已达上限。",
  tokens: "本轮的 token 用量已达上限。",
  time: "本轮的时间已达上限。",
  cost: "本轮的预算已用完。",
  repeats: "同一个调用多次失败。",
};

export const chat: Catalogue["chat"] = {
  label: "对话",
  messages: "消息",
  opening: "正在打开对话…",
  missing: "此对话不存在，可能已被删除。",
  startNew: "开始新对话",
  tryAgain: "重试",
  announce: {
    answer: (text) => `回答：${text}`,
    approval: (tool) => `${tool} 等待你批准。`,
    review: (tool) => `${tool} 的结果等待你批准。`,
  },
  composer: {
    label: "新消息",
    message: "消息",
    placeholder: "想让它做什么？",
    offlinePlaceholder: "/help，或每行一个 /Tool {…}",
    toolGroups: "已启用的工具组",
    groups: (count) => `${formatCount(count)} 个工具组`,
    send: "发送",
    sendTitle: "发送（Enter）",
    stop: "停止",
    stopTitle: "停止（Esc）",
    sendHint: "发送，",
    newLineHint: "换行",
    stopHint: "停止本轮",
    queueHint: "在本轮结束后发送，",
  },
  attachments: {
    attach: "添加附件",
    attachTitle: "添加附件。也可以直接粘贴文件，或将文件拖到对话中",
    list: "这条消息的文件",
    uploading: "正在上传…",
    drop: "松开即可添加文件",
    pastedName: "粘贴的文本.txt",
    retry: (name) => `重新上传 ${name}`,
    remove: (name) => `移除 ${name}`,
    tooMany: (most, leftOut) =>
      `每条消息最多 ${formatCount(most)} 个文件。有 ${formatCount(leftOut)} 个文件未添加。`,
  },
  queue: {
    label: "排队的消息",
    add: "本轮结束后发送",
    about: "将在本轮结束后发送：",
    held: "本轮没有完成，因此未发送：",
    edit: "修改消息",
    remove: "移除消息",
  },
  stale: "此对话有来自其他窗口或程序的新消息，已显示在上方。你的消息尚未发送，请确认后再次发送。",
  failures: {
    authentication: {
      title: "服务商不接受此密钥",
      advice: "请在设置中更换密钥，或在下方选择其他模型，然后重试。",
    },
    rate_limit: {
      title: "已达到服务商的速率限制",
      advice: "短时间内的请求过多。请稍等片刻，或在下方选择其他模型，然后重试。",
    },
    insufficient_quota: {
      title: "账户余额已用完",
      advice: "请在服务商处充值，或在下方选择其他模型，然后重试。",
    },
    context_length: {
      title: "对话太长，超出了此模型的上下文长度",
      advice: "请开始新对话，或在下方选择上下文更长的模型，然后重试。",
    },
    model_not_found: {
      title: "服务商没有这个模型",
      advice: "请在下方选择其他模型，然后重试。",
    },
    bad_request: {
      title: "服务商拒绝了请求",
      advice: "原因见上方的消息。换一个模型可能可以接受此请求。",
    },
    empty_answer: {
      title: "模型没有返回回答",
      advice: "已向模型请求两次。工具的结果已保存。请重试，或在下方选择其他模型。",
    },
    connection: {
      title: "无法连接到服务商",
      advice: "请检查网络，或检查模型的服务器是否正在运行。已完成的调用不会重新运行。",
    },
    timeout: {
      title: "模型停止响应",
      advice: "在时限内没有收到数据。已完成的调用不会重新运行。",
    },
    server: {
      title: "服务商出现错误",
      advice: "错误来自服务商，通常是暂时的。已完成的调用不会重新运行。",
    },
    interrupted,
  },
  interrupted,
  failed: { title: "本轮失败", advice: "已完成的调用不会重新运行。" },
  tookTooLong: { title: "本轮超时", advice: "本轮在到达时限时停止。已完成的工作已保存。" },
  stopped: { title: "你停止了本轮", advice: "已完成的工作已保存。" },
  retry: "重试",
  setKey: "设置密钥",
  continue: "继续",
  retryAfter: (time) => `服务商建议等待 ${time}。`,
  turn: {
    sending: "正在发送…",
    youSaid: "你说：",
    retry: (reason, attempt, seconds) =>
      `${reason} 第 ${formatCount(attempt)} 次尝试将在 ${formatCount(seconds)} 秒后开始。`,
    thinking: "模型正在思考。",
    gone: "服务器上已没有这次运行。请重新加载页面，查看已保存的部分。",
    cutOff: "回答在此处中断。",
    reasoningOpen: "正在思考…",
    reasoning: "模型的思考过程",
    restarted: "模型在此处中断，并重新开始",
    limitReached: (limit, message) =>
      `${limits[limit] ?? message}已要求模型不再使用工具，直接回答。`,
    tokenLimit: "回答达到了模型的 token 上限，因此中断。",
    contentFilter: "服务商的内容过滤器中断了回答。",
    earlierCall: "较早的调用",
  },
  stats: {
    aboutTime: "时间不包括等待批准的时间。",
    about:
      "时间不包括等待批准的时间。结果：模型看到的 token 数，以及保存在变量中、未提供给模型的 token 数。模型：由服务商统计的 token 数。费用：按设置文件中的价格及其货币计算。",
    calls: (rounds, calls) => `${formatCount(rounds)} 轮，${formatCount(calls)} 次调用`,
    results: (shown, withheld) =>
      `结果：提供 ${formatCount(shown)} 个 token，未提供 ${formatCount(withheld)} 个`,
    model: (input, cached, output) =>
      `模型：输入 ${formatCount(input)} 个 token${cached ? `（缓存 ${formatCount(cached)} 个）` : ""}，输出 ${formatCount(output)} 个`,
    cost: (cost) => `费用：${cost}`,
  },
  toEnd: "跳到末尾",
  copyAnswer: "复制回答（Markdown）",
  copyMessage: "复制消息",
  repeat: "重新提问",
  repeatTitle: "用所选模型重新提问。当前回答会保留为另一个版本",
  edit: "修改消息",
  editTitle: "修改消息并重新发送。当前版本会保留",
  notLoaded: "无法加载消息",
  notRepeated: "消息未发送",
  editNote: "对话将从修改后的消息继续。原来的版本会保留。",
  versions: {
    label: "这条消息的版本",
    previous: "上一个版本",
    next: "下一个版本",
    place: (number, count) => `${formatCount(number)} / ${formatCount(count)}`,
  },
  welcome: {
    title: "今天想做点什么？",
    about: "Capstan 为语言模型提供工具，并由你掌控工具的使用。",
    offline: "你正在使用离线模型。它不是 AI，只会运行你指定的工具。",
    addModel: "添加模型",
    online: "直接说出你的需求。如果某个调用需要批准，会先询问你。",
    suggestions: "可以试试",
  },
  suggestions: {
    listFolder: { title: "列出此文件夹", text: '/ListFiles {"path":"."}' },
    severalCommands: {
      title: "同时运行多个工具",
      text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    },
    fetchCommand: { title: "获取一个网页", text: '/FetchWebPage {"url":"https://example.org/"}' },
    help: { title: "看看离线模型能做什么", text: "/help" },
    explore: {
      title: "浏览此文件夹",
      text: "这个文件夹里有什么？看看最重要的文件，用五行文字总结一下。",
    },
    readPage: {
      title: "阅读网页",
      text: "获取 https://example.org ，用两句话告诉我它是做什么用的。",
    },
    several: {
      title: "同时做两件事",
      text: "找出这里所有的 Markdown 文件，同时告诉我东京现在是星期几。",
    },
    tools: { title: "看看它能做什么", text: "你有哪些工具？能用它们帮我做什么？" },
    plan: {
      title: "规划下一步",
      text: "就我正在做的事情问我三个问题，然后建议下一步怎么做。",
    },
    explain: { title: "解释一个概念", text: "船员松开绞盘棒时，绞盘是怎样保持负载的？" },
  },
};
