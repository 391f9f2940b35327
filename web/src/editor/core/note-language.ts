import { type EditorState, type Extension, StateField, type Text, type Transaction } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { MAX_FRONTMATTER } from '@notevault/note-html/grammar/frontmatter.ts';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';

interface NoteLanguage {
  /** BCP 47 tag of the language; null if the note names none. */
  readonly tag: string | null;
  /** End of the text that decides; later changes are irrelevant. */
  readonly readTo: number;
}

const PROPERTY = /^(?:lang|language):[ \t]+(["']?)([a-z]{2,3}(?:-[a-z\d]{1,8})*)\1[ \t]*(?:#.*)?\r?$/im;

const field = StateField.define<NoteLanguage>({
  create: ({ doc }) => readLanguage(doc),
  update: (value, transaction) => (isTouched(value, transaction) ? readLanguage(transaction.newDoc) : value),
});

/** Gives the text the language that the frontmatter names as `lang` or `language`, for screen readers and spelling. */
export const noteLanguageAttribute: Extension = [
  field,
  EditorView.contentAttributes.compute([field], (state): Record<string, string> => {
    const tag = languageTag(state);
    return tag === null ? {} : { lang: tag };
  }),
];

/** The language that a note names; null for none. */
export function languageTag(state: EditorState): string | null {
  return state.field(field).tag;
}

function isTouched({ readTo }: NoteLanguage, { docChanged, changes }: Transaction): boolean {
  return docChanged && changes.touchesRange(0, readTo) !== false;
}

function readLanguage(doc: Text): NoteLanguage {
  const first = doc.line(1);
  if (!/^\ufeff?---[ \t]*\r?$/.test(first.text)) return { tag: null, readTo: first.to };
  const { bodyStart } = findFrontmatter(doc.sliceString(0, Math.min(doc.length, MAX_FRONTMATTER)));
  // Without the closing fence, any change may add it.
  if (bodyStart === 0) return { tag: null, readTo: doc.length };
  const [, , named] = PROPERTY.exec(doc.sliceString(first.to, bodyStart)) ?? [];
  return { tag: named === undefined ? null : canonical(named), readTo: bodyStart };
}

function canonical(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
