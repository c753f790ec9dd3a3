import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes } from "../numbers/count.ts";

export const exports: Catalogue["exports"] = {
  user: "你",
  assistant: "助手",
  failed: (message) => `本轮失败：${message}`,
  markdown: "导出为 Markdown",
  json: "导出为 JSON",
  zip: "导出并包含所有文件",
  running: "正在准备导出…",
  notExported: "对话未导出",
  tooLarge: (bytes, most) =>
    `文件共 ${formatBytes(bytes)}，最多只能打包 ${formatBytes(most)}。请导出为 Markdown，再逐个下载文件。`,
};
