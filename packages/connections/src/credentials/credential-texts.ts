const how = (name: string) =>
  `A user must sign in: in the Connections panel of the page, or with: capstan connections login ${name}`;

/** The message if a server needs a credential and none is stored. */
export function needsSignIn(name: string): string {
  return `The server of ${name} requires a sign-in. ${how(name)}`;
}

/** The message if the access of a user has ended. */
export function needsSignInAgain(name: string): string {
  return `The access to ${name} has expired or was revoked. ${how(name)}`;
}

/** The message if a server rejects a key that a user entered. */
export function rejectedCredential(name: string): string {
  return `The server of ${name} rejects the stored credential. A user must enter it again: in the Connections panel of the page, or with: capstan connections login ${name}`;
}

/** The message if a stored credential cannot be decrypted. */
export function unreadableCredential(name: string): string {
  return `The stored credential of ${name} was encrypted with another secret key. Restore CAPSTAN_SECRET_KEY or the file sealing.key of the data directory, or sign in again: capstan connections login ${name}`;
}

/** The message if a server demands more scopes than the user has granted. */
export function needsScope(name: string, scope: string): string {
  return `The server of ${name} requires more permissions: ${scope.slice(0, 200)}. ${how(name)}`;
}
