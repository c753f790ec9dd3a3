import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount } from "../numbers/count.ts";

export const inbox: Catalogue["inbox"] = {
  title: "等待你处理",
  open: (count) => `${formatCount(count)} 个请求等待你处理`,
  empty: "没有待处理的请求。",
  about: "所有对话中等待你批准的调用。",
  ofChat: (title) => `在“${title}”中`,
  openChat: "打开对话",
  notOpened: "无法打开请求",
  ofProgram: "来自程序",
  unknown: (title) => `“${title}”中的一个调用可能已经生效。`,
  unknownAnswer: "报告实际情况",
  together: {
    allow: (count) => `全部允许一次（${formatCount(count)} 个）`,
    about: (tools) => `只允许已完整显示的只读调用：${tools}。`,
    failed: "无法允许全部调用",
  },
  answered: (tool, answer, time) => `${tool}：已在其他窗口或程序中处理（${answer}，${time}）。`,
  ended: (tool, reason, time) => `${tool}：${reason}（${time}）。`,
  answers: {
    pending: "待处理",
    allowed: "你已允许",
    refused: "你已拒绝",
    released: "你已放行结果",
    redacted: "你已隐去部分内容并放行结果",
    replaced: "你已替换结果",
    withheld: "你已扣留结果",
    expired: "已过期",
    cancelled: "所属的一轮已结束",
  },
  notifications: {
    offer: "页面不可见时通知我",
    on: "页面不可见时，此浏览器会通知你有新的请求。",
    off: "关闭",
    denied: "此浏览器屏蔽了本页的通知。请在浏览器设置中允许通知。",
    title: (tool) => `${tool} 等待你批准`,
    body: (chat) => `在“${chat}”中`,
  },
};
