/**
 * A piece of a note as a reader sees it: without the marks of markdown, on one line. It may begin and end anywhere, so
 * nothing here needs what stands before. Takes time linear in the length.
 *
 * The result is meant for pages: it holds no `<` that could begin a tag, also for one who forgets to escape it.
 */
export function plainText(markdown: string): string {
  const lines = markdown.split(/\r\n?|\n/).map(plainLine);
  const plain = inline(lines.filter((line) => line !== '').join(' '));
  // Most of it has nothing but single spaces.
  return (unevenSpace.test(plain) ? plain.replace(/[\s\u0000-\u001f\u007f]+/g, ' ') : plain).trim();
}

const unevenSpace = /[^\S ]|[\u0000-\u001f\u007f]| {2}/;

/** Lines that only shape others: fences, rules, underlines of headings and tables, ends of comments. */
const shape = /^(?:`{3,}[^`]*|~{3,}.*|=+|[-*_\s]+|[|:\s-]+|%%)$/;
const marks = /^(?:\s|>|#{1,6}(?=\s|$)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX/-]\](?=\s)|\[![\w-]{1,40}\][+-]?|\|)+/;

function plainLine(line: string): string {
  const isRow = line.trimStart().startsWith('|');
  const text = withoutClosing(line.replace(marks, '').trimEnd());
  if (shape.test(text)) return '';
  return isRow ? text.replace(/(?<!\\)\|/g, ' ') : text;
}

/** Without the `#` that may close a heading. */
function withoutClosing(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '#') end--;
  return end < text.length && /^\s?$/.test(text.charAt(end - 1)) ? text.slice(0, end).trimEnd() : text;
}

/** Bounded everywhere: whatever is longer than names and addresses are is left as it stands. */
const wikilink = /!?\[\[([^[\]|\n]{0,300})(?:\|([^[\]\n]{0,300}))?\]\]/g;
const link = /!?\[([^[\]\n]{0,300})\]\((?:[^()\s]{0,1000})(?:\s"[^"\n]{0,200}")?\)/g;
const element =
  'abbr|a|audio|blockquote|body|br|b|button|center|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|form|h[1-6]|head|hr|html|iframe|img|input|ins|i|kbd|label|link|li|mark|meta|object|ol|pre|p|q|script|small|source|span|strong|style|sub|summary|sup|svg|s|table|tbody|td|th|thead|tr|ul|u|video';
const tag = new RegExp(`<(?:/?(?:${element})(?![\\w-])[^<>\\n]{0,300}|!--[^<>\\n]{0,300})>`, 'gi');

/** A character that is meant as such, or marks of emphasis and code, which are not shown. */
const escaped =
  /\\([!-/:-@[-`{-~])|(?<=\S)\*{1,3}|\*{1,3}(?=\S)|~~|==|`+|%%|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu;

function inline(text: string): string {
  let plain = text;
  // Looking for what is not there is most of the work.
  if (plain.includes('[[')) plain = plain.replace(wikilink, (_, target: string, alias?: string) => alias ?? target);
  if (plain.includes('](')) plain = plain.replace(link, (_, label: string) => label);
  if (plain.includes('<')) plain = plain.replace(tag, ' ');
  return plain.replace(escaped, (_, own?: string) => own ?? '').replace(/<(?=[a-zA-Z/!?])/g, '‹');
}
