/** A problem of a document or an operation, with a message for users. */
export class DocumentProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DocumentProblem";
  }
}
