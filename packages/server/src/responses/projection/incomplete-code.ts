/** The error of a call whose arguments a limit or a filter cut off. */
export const incompleteCode = "incomplete_call";
