/**
 * Position of the frontmatter, in UTF-16 offsets. If `closed`, the YAML is `yamlStart..yamlEnd` and the body begins at
 * `bodyStart`, after the closing line. Otherwise the whole note is body.
 */
export type Fence =
  | { readonly kind: 'none'; readonly bodyStart: 0 }
  | { readonly kind: 'unterminated'; readonly bodyStart: 0 }
  | { readonly kind: 'closed'; readonly yamlStart: number; readonly yamlEnd: number; readonly bodyStart: number };

/**
 * Finds the frontmatter: a first line `---`, and the next line `---` after it. Both may end in spaces or tabs, lines
 * end in LF or CRLF, and a byte order mark may come first.
 *
 * A first line `---` that is never closed is unterminated frontmatter, with one exception: followed by a blank line or
 * by the end of the note it is a thematic break, because people do not leave a blank line before the first key.
 */
export function findFrontmatter(content: string): Fence {
  const opening = content.charCodeAt(0) === 0xfeff ? 1 : 0;
  const yamlStart = afterFence(content, opening);
  if (yamlStart < 0) return { kind: 'none', bodyStart: 0 };
  for (let at = yamlStart; at >= 0 && at < content.length; at = nextLine(content, at)) {
    const bodyStart = afterFence(content, at);
    if (bodyStart >= 0) return { kind: 'closed', yamlStart, yamlEnd: at, bodyStart };
  }
  return { kind: isBlankLine(content, yamlStart) ? 'none' : 'unterminated', bodyStart: 0 };
}

/** Offset of the line after the fence `---` at `at`; -1 when that line is not a fence. */
function afterFence(content: string, at: number): number {
  if (!content.startsWith('---', at)) return -1;
  let end = at + 3;
  while (content.charAt(end) === ' ' || content.charAt(end) === '\t') end++;
  if (content.charAt(end) === '\r') end++;
  if (content.charAt(end) === '\n') return end + 1;
  return end >= content.length ? content.length : -1;
}

function nextLine(content: string, at: number): number {
  const newline = content.indexOf('\n', at);
  return newline < 0 ? -1 : newline + 1;
}

function isBlankLine(content: string, at: number): boolean {
  const next = nextLine(content, at);
  return content.slice(at, next < 0 ? content.length : next).trim() === '';
}
