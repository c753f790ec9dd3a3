import type { Catalogue } from "../catalogue/catalogue.ts";

export const shortcuts: Catalogue["shortcuts"] = {
  title: "键盘快捷键",
  close: "关闭快捷键列表",
  open: "显示键盘快捷键",
  list: [
    { keys: ["Enter"], does: "发送消息" },
    { keys: ["Shift", "Enter"], does: "在消息中换行" },
    { keys: ["Ctrl", "K"], does: "搜索对话" },
    { keys: ["Esc"], does: "关闭面板，或停止本轮" },
    { keys: ["Alt", "A"], does: "允许等待批准的调用" },
    { keys: ["Alt", "S"], does: "允许更多同类调用" },
    { keys: ["Alt", "R"], does: "拒绝调用：第一次按键会先选中理由" },
    { keys: ["Alt", "E"], does: "编辑调用的参数" },
    { keys: ["Alt", "V"], does: "显示完整的调用" },
    { keys: ["?"], does: "显示此列表" },
  ],
};
