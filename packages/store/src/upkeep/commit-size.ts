/** How much one commit deletes: it must not hold up the others that write. */
export const commitRows = 500;
export const commitBytes = 4 * 1_048_576;
