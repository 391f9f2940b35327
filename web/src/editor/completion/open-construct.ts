/** A link that is being written. */
export interface OpenLink {
  readonly kind: 'note' | 'heading' | 'block';
  /** What a heading or block is looked for in; empty for the note itself. */
  readonly target: string;
  readonly query: string;
  /** Where the query begins in the line. */
  readonly from: number;
}

/** Reads the link that is open at the end of a line's text; null when none is, or when its alias is being written. */
export function readOpenLink(before: string): OpenLink | null {
  const start = before.lastIndexOf('[[');
  if (start < 0) return null;
  const inner = before.slice(start + 2);
  if (inner.length > 300 || /\]\]|\[|\|/.test(inner)) return null;
  const hash = inner.lastIndexOf('#');
  if (hash < 0) return { kind: 'note', target: '', query: inner, from: start + 2 };
  const anchor = inner.slice(hash + 1);
  const target = inner.slice(0, inner.indexOf('#'));
  const isBlock = anchor.startsWith('^');
  const from = start + 2 + hash + (isBlock ? 2 : 1);
  return { kind: isBlock ? 'block' : 'heading', target, query: isBlock ? anchor.slice(1) : anchor, from };
}

/** Reads the tag that is open at the end of a line's text; null when none is. */
export function readOpenTag(before: string): { readonly query: string; readonly from: number } | null {
  const match = /(?:^|\s)#([\p{L}\p{N}_/-]{0,100})$/u.exec(before);
  if (match === null) return null;
  const [, query = ''] = match;
  // `# ` begins a heading; a lone `#` at the start of a line is more likely one than a tag.
  if (query === '' && before.trimStart() === '#') return null;
  return { query, from: before.length - query.length };
}
