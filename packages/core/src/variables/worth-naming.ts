/** Characters from which a text is worth a name in what the model reads: to copy it would cost more. */
export const worthNaming = 2_000;
