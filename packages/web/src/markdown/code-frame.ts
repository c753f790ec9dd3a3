/** A code block with its language and a button that copies it. */
export function codeFrame(pre: HTMLPreElement): HTMLElement {
  const language = pre.querySelector("code")?.className.replace("language-", "") ?? "";
  const frame = element("div", language === "" ? "code-frame plain" : "code-frame");
  const head = element("div", "code-head");
  const name = element("span", "code-language");
  name.textContent = language;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "code-copy";
  button.textContent = "Copy";
  button.ariaLabel = "Copy the code";
  const body = element("pre", "code-body");
  body.tabIndex = 0;
  body.append(...pre.childNodes);
  head.append(name, button);
  frame.append(head, body);
  return frame;
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
