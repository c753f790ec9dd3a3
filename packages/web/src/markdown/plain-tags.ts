const plainTag = /(<\/?(?:br|sub|sup|kbd|mark|b|i|u|s|details|summary) ?\/?>)/i;

/**
 * HTML that a model wrote between its Markdown: the few tags that only shape text stay, without
 * attributes; all else is shown as it was written.
 *
 * @example plainTagsOnly("<b>x</b><script>") // "<b>x</b>&lt;script&gt;"
 */
export function plainTagsOnly(html: string): string {
  return html
    .split(plainTag)
    .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
    .join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
