/** The minimum length in characters of a text that gets a variable name: copying it would cost more than the name. */
export const minNamedChars = 2_000;
