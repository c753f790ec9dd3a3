import type {
  ConnectionCreateBody,
  ConnectionCredentialBody,
  ConnectionCredentialDeleted,
  ConnectionDetail,
  ConnectionKeyView,
  ConnectionUpdateBody,
  ConnectionView,
  SignInAnswerBody,
  SignInBody,
  SignInResult,
  SignInView,
} from "./connection.ts";

/** The result of a request about a connection, or the reason why nothing changed. */
export type ConnectionOutcome<T> =
  | { readonly status: "done"; readonly value: T }
  | { readonly status: "not_found" }
  | { readonly status: "conflict"; readonly message: string }
  /** The request is invalid; `field` names the field. */
  | { readonly status: "invalid"; readonly field: string; readonly message: string }
  /** An outside server failed, or rejected the request. */
  | { readonly status: "failed"; readonly code: string; readonly message: string };

/**
 * Lets users add connections, sign in and accept tools. No tool has access to this interface, and no
 * result contains a secret.
 */
export interface ConnectionService {
  /** Returns the current states by name, without waiting. */
  states(): ReadonlyMap<string, Pick<ConnectionView, "state" | "error">>;
  /** @param principal whose credentials the views describe */
  list(principal: string): Promise<readonly ConnectionView[]>;
  get(name: string, principal: string): Promise<ConnectionDetail | undefined>;
  /**
   * Adds a connection.
   *
   * @param caller.mayApprove if false, a user must also accept the first tools of the server, and it
   * cannot have a private address
   */
  create(
    body: ConnectionCreateBody,
    principal: string,
    caller: { readonly mayApprove: boolean },
  ): Promise<ConnectionOutcome<ConnectionDetail>>;
  change(
    name: string,
    body: ConnectionUpdateBody,
    principal: string,
  ): Promise<ConnectionOutcome<ConnectionDetail>>;
  /** Revokes and deletes all of its credentials, too. */
  remove(name: string): Promise<ConnectionOutcome<undefined>>;
  /** Connects to the server and reads its tools. */
  check(name: string, principal: string): Promise<ConnectionOutcome<ConnectionDetail>>;
  /** Accepts the listed tools if they still have this digest. */
  accept(
    name: string,
    digest: string,
    principal: string,
  ): Promise<ConnectionOutcome<ConnectionDetail>>;
  setCredential(
    name: string,
    body: ConnectionCredentialBody,
    principal: string,
  ): Promise<ConnectionOutcome<ConnectionDetail>>;
  /** Revokes and deletes the principal's own credential, or the shared one. */
  removeCredential(
    name: string,
    options: { readonly shared: boolean },
    principal: string,
  ): Promise<ConnectionOutcome<ConnectionCredentialDeleted>>;
  signIn(name: string, body: SignInBody, principal: string): Promise<ConnectionOutcome<SignInView>>;
  finishSignIn(body: SignInAnswerBody, principal: string): Promise<ConnectionOutcome<SignInResult>>;
  /** Encrypts all stored credentials with a new key. */
  rotateKey(): Promise<ConnectionKeyView>;
  /** The description of Capstan as a client, which authorization servers read. */
  clientDocument(): object | undefined;
}
