import { pathErrors } from "../files/file-roots.ts";

/** The errors of every tool in the group, for their documentation. */
export const targetErrors = {
  ...pathErrors,
  changed: "Another program replaced the file meanwhile.",
  is_root: "The path is a root of the file tools, or contains one.",
  linked_path:
    "The path leads through a link, or is spelled unlike the file's name; the message has the right path.",
  no_space: "The disk or the user's quota is full.",
  protected_path: "The server protects the path, or the folder contains a protected path.",
  too_large: "The file or the change exceeds a size limit.",
};

/** The errors of tools that create a path. */
export const createErrors = { ...targetErrors, exists: "The path exists; nothing is replaced." };

/** The errors of tools that edit a text. */
export const textErrors = {
  ...targetErrors,
  ambiguous_match: "A text occurs several times; the message has the lines.",
  binary_file: "The file is not text.",
  no_match: "A text does not occur; the message shows the most similar lines.",
  no_folder: "The folder of the path does not exist.",
  not_a_file: "The path is a folder, a device, a pipe or a socket.",
  unknown_encoding: "The file is neither UTF-8 nor UTF-16LE.",
};
