/** The first line of a callout. Offsets are those of the line from its `>` on. */
export interface CalloutHead {
  /** Kind as written, in lower case. */
  readonly kind: string;
  /** Style of the callout; unknown kinds look like a note. */
  readonly look: CalloutLook;
  /** `+` open, `-` closed, or null when it does not fold. */
  readonly fold: '+' | '-' | null;
  readonly title: string;
  readonly markStart: number;
  /** After the mark and the space that follows it. */
  readonly markEnd: number;
}

export type CalloutLook = 'note' | 'info' | 'tip' | 'success' | 'question' | 'warning' | 'danger' | 'example' | 'quote';

const KINDS: Readonly<Record<CalloutLook, readonly string[]>> = {
  note: ['note'],
  info: ['info', 'todo', 'abstract', 'summary', 'tldr'],
  tip: ['tip', 'hint', 'important'],
  success: ['success', 'check', 'done'],
  question: ['question', 'help', 'faq'],
  warning: ['warning', 'caution', 'attention'],
  danger: ['danger', 'error', 'failure', 'fail', 'missing', 'bug'],
  example: ['example'],
  quote: ['quote', 'cite'],
};
const LOOKS = new Map(
  Object.entries(KINDS).flatMap(([look, kinds]) => kinds.map((kind) => [kind, look as CalloutLook] as const)),
);

const HEAD = /^>[ \t]*(\[!([^\]\n|]{1,60})(?:\|[^\]\n]*)?\]([+-]?)[ \t]*)(.*)$/;

/** Reads the first line of a quote; null when it is no callout. */
export function readCalloutHead(line: string): CalloutHead | null {
  const match = HEAD.exec(line);
  if (match === null) return null;
  const [, mark = '', written = '', fold = '', title = ''] = match;
  const kind = written.trim().toLowerCase();
  const markEnd = line.length - title.length;
  return {
    kind,
    look: LOOKS.get(kind) ?? 'note',
    fold: fold === '+' || fold === '-' ? fold : null,
    title: title.trim(),
    markStart: markEnd - mark.length,
    markEnd,
  };
}
