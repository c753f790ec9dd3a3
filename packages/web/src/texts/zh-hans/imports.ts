import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes, formatCount } from "../numbers/count.ts";

export const imports: Catalogue["imports"] = {
  title: "导入对话",
  about:
    "支持 ChatGPT（ZIP 压缩包或 conversations.json）、LibreChat（JSON）和 Open WebUI（JSON）的对话。只导入文字，不包括图片和文件。导入后可以继续每个对话。",
  choose: "选择导出文件",
  reading: "正在读取导出文件…",
  progress: (done, all) => `正在导入：${formatCount(done)} / ${formatCount(all)} 个对话…`,
  stop: "停止",
  stopped: "导入已停止，未导入任何内容。",
  failed: (reason) => `${reason}未导入任何内容。`,
  done: (count, source, skipped) =>
    `已从 ${source} 导入 ${formatCount(count)} 个对话。${
      skipped === 0 ? "" : `${formatCount(skipped)} 个对话没有消息或太大，已跳过。`
    }`,
  unfinished: "有一次导入被中断。",
  undo: "删除导入的对话",
  undoing: "正在删除导入的对话…",
  undone: (count) => `已删除 ${formatCount(count)} 个导入的对话。`,
  notUndone: "部分导入的对话未能删除",
  notJson: "此文件不是 JSON，也不是 ChatGPT 的 ZIP 压缩包。",
  unknown: "此文件不是 ChatGPT、LibreChat 或 Open WebUI 的导出文件。",
  empty: "导出文件中没有包含消息的对话。",
  tooMany: (count, most) =>
    `导出文件中有 ${formatCount(count)} 个对话，一次最多导入 ${formatCount(most)} 个。`,
  tooLarge: (most) => `导出文件超过了 ${formatBytes(most)}。`,
  brokenArchive: "ZIP 压缩包已损坏。",
  noConversations: "ZIP 压缩包中没有 conversations.json。",
};
