/** Texts of the list of keyboard shortcuts. */
export const shortcuts = {
  title: "Keyboard shortcuts",
  close: "Close the list of shortcuts",
  open: "Show the keyboard shortcuts",
  list: [
    { keys: ["Enter"], does: "Send the message" },
    { keys: ["Shift", "Enter"], does: "Add a line to the message" },
    { keys: ["Ctrl", "K"], does: "Search chats" },
    { keys: ["Esc"], does: "Close the panel, or stop the turn" },
    { keys: ["Alt", "A"], does: "Allow the call that needs approval" },
    { keys: ["Alt", "S"], does: "Allow more calls like it" },
    { keys: ["Alt", "R"], does: "Reject the call: the first press selects the reason" },
    { keys: ["Alt", "E"], does: "Edit the arguments of the call" },
    { keys: ["Alt", "V"], does: "Show the whole call" },
    { keys: ["?"], does: "Show this list" },
  ],
} as const;
