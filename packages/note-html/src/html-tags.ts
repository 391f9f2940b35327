/** HTML tags that notes may show: none that runs scripts or takes input. */
export const HTML_TAGS: readonly string[] = [
  ...['a', 'abbr', 'b', 'bdi', 'bdo', 'blockquote', 'br', 'cite', 'code', 'dd', 'del', 'details', 'dfn', 'div', 'dl'],
  ...['dt', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'ins', 'kbd', 'li', 'mark'],
  ...['ol', 'p', 'pre', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup'],
  ...['table', 'caption', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'time', 'u', 'ul', 'var', 'wbr'],
  // Drawn as an embed.
  'img',
];
