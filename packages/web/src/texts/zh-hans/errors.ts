import type { Catalogue } from "../catalogue/catalogue.ts";

export const errors: Catalogue["errors"] = {
  unreachable: () => "无法连接到服务器。请检查服务器是否正在运行。",
  server_full: () => "服务器繁忙，未执行任何操作。请几秒后重试。",
  too_many_streams: () => "打开的数据流已达服务器上限，未执行任何操作。请关闭其他标签页后重试。",
  invalid_api_key: () =>
    "此服务器需要有效的 API 密钥。也可以配对此浏览器：运行 capstan pair 获取链接。",
  pairing_code_invalid: () => "此链接已被使用，或已超过 10 分钟。运行 capstan pair 获取新的链接。",
  right_missing: () => "你没有执行此操作的权限。",
  rate_limit_exceeded: () => "已达到速率限制。请稍等片刻后重试。",
  insufficient_quota: () => "服务商账户的余额已用完。",
  file_too_large: () => "文件超过了服务器允许的大小（limits.fileBytes）。",
  file_quota_exceeded: () => "文件存储空间已达上限，未保存任何内容。请先删除不需要的文件。",
  conversation_not_found: () => "此对话不存在，可能已被删除。",
  conversation_too_long: () => "对话太长，无法执行此操作。",
  history_too_large: () => "对话历史超过了服务器的上限（limits.bytesOfOne）。请开始新对话。",
};
