/** Elements without readable content. */
const unreadable =
  "title, script, style, noscript, template, iframe, object, embed, svg, canvas, [hidden]";

/** Elements that repeat on each page of a site, and layers above the page. */
const repeated = [
  "nav",
  "footer",
  "dialog",
  "[aria-hidden=true]",
  "[aria-modal=true]",
  ...["navigation", "banner", "contentinfo", "search", "dialog", "alertdialog"].map(
    (role) => `[role=${role}]`,
  ),
].join(", ");

/** Class names and ids of consent layers of common services. */
const consentServices =
  /^(?:onetrust|CybotCookiebot|didomi|usercentrics|qc-cmp|cc-window|cookieconsent|truste|sp_message_container|iubenda-cs|cky-|borlabs|BorlabsCookie|osano|cmplz)/i;
const consentLayer =
  /(?:cookie|consent|gdpr|ccpa)[-_\w]{0,20}?(?:banner|bar|notice|popup|modal|overlay|dialog|message|wall|prompt|layer|box|law|consent|manager|disclaimer)/i;

/** A longer text is not a consent layer, whatever its name. */
const longestLayer = 3_000;

/** Removes scripts, styles and other elements without readable content. */
export function removeUnreadable(root: Element): void {
  for (const element of root.querySelectorAll(unreadable)) element.remove();
}

/** Removes navigation, the header and the footer of the page, forms, and cookie banners. */
export function removeBoilerplate(root: Element): void {
  for (const element of root.querySelectorAll(repeated)) {
    // A wrongly marked element can contain the whole page.
    if (!isContent(element)) element.remove();
  }
  for (const header of root.querySelectorAll("header")) {
    if (header.closest("article, main, section") !== null) continue;
    header.replaceWith(...header.querySelectorAll("h1"));
  }
  for (const form of root.querySelectorAll("form")) {
    if (!isContent(form)) form.remove();
    else for (const control of form.querySelectorAll("input, button, select")) control.remove();
  }
  for (const element of root.querySelectorAll("[id], [class]"))
    if (isConsentLayer(element)) element.remove();
}

function isContent(element: Element): boolean {
  return element.querySelector("main, article, h1") !== null || element.matches("main, article");
}

function isConsentLayer(element: Element): boolean {
  const names = `${element.id} ${element.getAttribute("class") ?? ""}`.slice(0, 500);
  const isNamed =
    consentLayer.test(names) || names.split(/\s+/).some((name) => consentServices.test(name));
  return (
    isNamed &&
    !element.matches("html, body") &&
    !isContent(element) &&
    (element.textContent ?? "").length <= longestLayer
  );
}
