/** The failures of all tools that fetch pages, for the documentation. */
export const webErrors = {
  invalid_url: "The address is not a URL.",
  unsupported_scheme: "The address is not http or https.",
  credentials_in_url: "The address has a user name or a password.",
  denied_host: "A rule denies the host.",
  private_address: "The address is not on the public internet.",
  unknown_host: "There is no such host.",
  unreachable: "The host does not answer, or the connection breaks.",
  bad_certificate: "The host's certificate is not valid.",
  timed_out: "The page takes too long.",
  http_error: "The host answers with an error; the message has its status.",
  redirects_elsewhere: "The page redirects to another site; the message has its address.",
  too_many_redirects: "The page redirects more than five times.",
  too_large: "The page is too large.",
} as const;

/** The failures of tools that read the source of HTML pages. */
export const htmlErrors = {
  ...webErrors,
  invalid_selector: "The text is not a CSS selector.",
  not_html: "The address does not lead to an HTML page; FetchWebPage reads it.",
  too_complex: "The page is too large or too complex to parse.",
} as const;
