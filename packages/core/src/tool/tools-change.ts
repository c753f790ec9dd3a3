/** What changed about the tools there are. */
export type ToolsChange =
  | { readonly type: "group.registered" | "group.unregistered"; readonly group: string }
  | { readonly type: "group.switched"; readonly group: string; readonly enabled: boolean }
  /** `toolId` is `group.Tool`. */
  | { readonly type: "tool.switched"; readonly toolId: string; readonly enabled: boolean };
