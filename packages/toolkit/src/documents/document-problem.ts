/** A document that cannot be converted; the message tells the reader why. */
export class DocumentProblem extends Error {}
