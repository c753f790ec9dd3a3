/** Arguments that cannot be sent, with a message for the model. The request was not sent. */
export class CallProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CallProblem";
  }
}
