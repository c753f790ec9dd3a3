/** Why a user could not sign in. The message has no secrets. */
export class SignInError extends Error {
  readonly code:
    | "no_authorization_server"
    | "client_needed"
    | "unsafe_address"
    | "unknown_sign_in"
    | "sign_in_denied"
    | "sign_in_failed";

  constructor(code: SignInError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SignInError";
    this.code = code;
  }
}
