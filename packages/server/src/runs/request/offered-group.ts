/** A tool group that the request wants, under the client's name for it. */
export interface ServerGroup {
  readonly label: string;
  readonly group: string;
  /** Absent: all its tools. */
  readonly allowedTools?: ToolFilter;
  /** Absent: as each tool says itself. */
  readonly requireApproval?: RequireApproval;
}

/** Which of a group's tools are meant: those that are named, and that only read (or do not), where it says so. */
export interface ToolFilter {
  readonly toolNames?: readonly string[];
  readonly readOnly?: boolean;
}

/** When a person is asked. With filters, a tool that none of them matches is asked about. */
export type RequireApproval =
  | "always"
  | "never"
  | { readonly always?: ToolFilter; readonly never?: ToolFilter };
