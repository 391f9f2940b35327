import type { MarkdownConfig } from '@lezer/markdown';

/** Longer paragraphs are parsed in parts: some marks that are never closed are searched to the end of the paragraph. */
const LONGEST = 4_000;
/** Letters with which nothing begins: marks are no letters, and addresses begin words. */
const REST_OF_WORD = /(?<=[a-z])[a-z]+/y;

/**
 * Parses a long paragraph in parts that end at line ends where possible, and passes over letters within words. An editor
 * parses what is visible; a page is rendered whole, for anybody who asks, so that its time must be linear in its length.
 */
export const longTextSyntax: MarkdownConfig = {
  parseInline: [
    {
      name: 'LongText',
      before: 'Escape',
      parse(cx, _next, pos) {
        const { text, offset } = cx;
        if (text.length <= LONGEST) {
          REST_OF_WORD.lastIndex = pos - offset;
          return REST_OF_WORD.test(text) ? offset + REST_OF_WORD.lastIndex : -1;
        }
        for (const { from, to, isComment } of partsOf(text)) {
          if (isComment) cx.addElement(cx.elt('InlineComment', offset + from, offset + to));
          else for (const element of cx.parser.parseInline(text.slice(from, to), offset + from)) cx.addElement(element);
        }
        return cx.end;
      },
    },
  ],
};

interface Part {
  readonly from: number;
  readonly to: number;
  /** Whether it is a comment that is longer than a part. */
  readonly isComment: boolean;
}

/** Cuts a text. A cut within a comment would show its second half, so no part ends there. */
function* partsOf(text: string): Generator<Part> {
  const comments = commentsIn(text);
  let comment = comments.next();
  for (let from = 0; from < text.length; ) {
    while (!comment.done && comment.value.to <= from) comment = comments.next();
    let to = partEnd(text, from);
    let next = comment;
    // Those that end within the part are of no interest.
    while (!next.done && next.value.to <= to) next = comments.next();
    comment = next;
    const across = !next.done && next.value.from < to ? next.value : null;
    if (across !== null) to = across.from > from ? across.from : across.to;
    yield { from, to, isComment: across?.from === from && to - from > LONGEST };
    from = to;
  }
}

function partEnd(text: string, start: number): number {
  if (text.length - start <= LONGEST) return text.length;
  const line = text.lastIndexOf('\n', start + LONGEST);
  return line > start ? line : start + LONGEST;
}

/** Returns the comments of a text, each character read once. */
function* commentsIn(text: string): Generator<{ readonly from: number; readonly to: number }> {
  const open = /%%|<!--/g;
  const ends = new Map([
    ['%%', '%%'],
    ['<!--', '-->'],
  ]);
  for (let match = open.exec(text); match !== null; match = open.exec(text)) {
    const [mark] = match;
    const end = ends.get(mark);
    const close = end === undefined ? -1 : text.indexOf(end, open.lastIndex);
    // Later ones have no end either.
    if (end === undefined || close < 0) ends.delete(mark);
    else {
      yield { from: match.index, to: close + end.length };
      open.lastIndex = close + end.length;
    }
  }
}
