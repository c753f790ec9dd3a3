/** Files as they were read, by name relative to their folder, with `/`. */
export type FileContents = ReadonlyMap<string, Uint8Array>;
