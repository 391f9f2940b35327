/** Maximum length of a rendered note; longer notes are cut between paragraphs. */
const LONGEST = 256 * 1_024;
/** Quotes and lists in each other beyond this are taken as one. */
const DEEPEST = 40;
/** Columns before the mark of a list, which nest it as well. */
const WIDEST = 160;

const MARK = String.raw`(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))`;
const TOO_DEEP = new RegExp(`^(${MARK}{${DEEPEST}})${MARK}+`, 'gm');
const TOO_WIDE = new RegExp(`^[ \\t]{${WIDEST},}`, 'gm');

/**
 * Bounds what a page renders: the length of a note, and how deep its quotes and lists are nested, which parser and
 * browsers pay for on every line. Line ends are made those of the parser.
 */
export function boundedSource(note: string): { readonly source: string; readonly isCut: boolean } {
  const isCut = note.length > LONGEST;
  const source = (isCut ? cut(note) : note).replace(/\r\n?/g, '\n');
  return { source: source.replace(TOO_DEEP, '$1').replace(TOO_WIDE, ' '.repeat(WIDEST)), isCut };
}

/** Cuts between paragraphs, so that no comment loses its end, which hides it. */
function cut(note: string): string {
  const start = note.slice(0, LONGEST);
  const end = Math.max(start.lastIndexOf('\n\n'), start.lastIndexOf('\r\n\r\n'));
  return end < 0 ? '' : start.slice(0, end);
}
