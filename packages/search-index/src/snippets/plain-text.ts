/**
 * Returns a part of a note as a reader sees it: on one line, without markdown syntax. The part may begin and end
 * anywhere. Takes linear time.
 *
 * No `<` in the result can begin an HTML tag, so that a page that forgets to escape it is still safe.
 */
export function plainText(markdown: string): string {
  const lines = markdown.split(/\r\n?|\n/).map(plainLine);
  const plain = withoutInlineSyntax(lines.filter((line) => line !== '').join(' '));
  // Most texts have single spaces only.
  return (unevenSpace.test(plain) ? plain.replace(/[\s\u0000-\u001f\u007f]+/g, ' ') : plain).trim();
}

const unevenSpace = /[^\S ]|[\u0000-\u001f\u007f]| {2}/;

/** Lines without text of their own: fences, rules, underlines of headings and tables, ends of comments. */
const syntaxLine = /^(?:`{3,}[^`]*|~{3,}.*|=+|[-*_\s]+|[|:\s-]+|%%)$/;
/** The syntax at the beginning of a line: quotes, headings, lists, tasks, callouts, tables. */
const linePrefix = /^(?:\s|>|#{1,6}(?=\s|$)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX/-]\](?=\s)|\[![\w-]{1,40}\][+-]?|\|)+/;

function plainLine(line: string): string {
  const isRow = line.trimStart().startsWith('|');
  const text = withoutClosingHashes(line.replace(linePrefix, '').trimEnd());
  if (syntaxLine.test(text)) return '';
  return isRow ? text.replace(/(?<!\\)\|/g, ' ') : text;
}

/** Removes the `#` that may close a heading. */
function withoutClosingHashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '#') end--;
  return end < text.length && /^\s?$/.test(text.charAt(end - 1)) ? text.slice(0, end).trimEnd() : text;
}

/** Every length is bounded, for linear time: syntax longer than any name or address is left as it is. */
const wikilink = /!?\[\[([^[\]|\n]{0,300})(?:\|([^[\]\n]{0,300}))?\]\]/g;
/** An embedded file that is no note; a number after `|` is its width. */
const embeddedFile = /!\[\[[^[\]|\n]{0,300}\.(?!md)[a-z0-9]{1,5}(?:#[^[\]|\n]{0,100})?(?:\|([^[\]\n]{0,300}))?\]\]/gi;
const fileName = /^(?:[^\s]{1,200}\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico|pdf|mp[34]|webm)|[\dx]{1,9})?$/i;
const link = /(!?)\[([^[\]\n]{0,300})\]\((?:[^()\s]{0,1000})(?:\s"[^"\n]{0,200}")?\)/g;
const element =
  'abbr|a|audio|blockquote|body|br|b|button|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|form|h[1-6]|head|hr|html|iframe|img|input|ins|i|kbd|label|link|li|mark|meta|object|ol|pre|p|q|script|small|source|span|strong|style|sub|summary|sup|svg|s|table|tbody|td|th|thead|tr|ul|u|video';
const tag = new RegExp(`<(?:/?(?:${element})(?![\\w-])[^<>\\n]{0,300}|!--[^<>\\n]{0,300})>`, 'gi');

/** An escaped character, which is kept, or the syntax of emphasis and code, which is not. */
const inlineSyntax =
  /\\([!-/:-@[-`{-~])|(?<=\S)\*{1,3}|\*{1,3}(?=\S)|~~|==|`+|%%|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu;

/** Returns the text beside an image, unless it is only its file name or its size. */
function labelOfImage(label: string): string {
  return fileName.test(label.trim()) ? ' ' : label;
}

function withoutInlineSyntax(text: string): string {
  let plain = text;
  // Most texts have none of these, and `includes` is cheaper than a pattern.
  if (plain.includes('![[')) plain = plain.replace(embeddedFile, (_, label?: string) => labelOfImage(label ?? ''));
  if (plain.includes('[[')) plain = plain.replace(wikilink, (_, target: string, alias?: string) => alias ?? target);
  if (plain.includes('](')) {
    plain = plain.replace(link, (_, image: string, label: string) => (image === '' ? label : labelOfImage(label)));
  }
  if (plain.includes('<')) plain = plain.replace(tag, ' ');
  return plain.replace(inlineSyntax, (_, escaped?: string) => escaped ?? '').replace(/<(?=[a-zA-Z/!?])/g, '‹');
}
