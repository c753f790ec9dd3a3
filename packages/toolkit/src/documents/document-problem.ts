/** The reason why a document cannot be converted, as a clause for an error message. */
export class DocumentProblem extends Error {}
