import { EditorView } from '@codemirror/view';
import { code, headings } from './parts.ts';

/** Theme for inline text. A line keeps its height whether its marks are shown or not. */
export const textTheme = EditorView.baseTheme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font)', fontSize: 'var(--body)', lineHeight: 'var(--leading-note)' },
  '.cm-content': {
    maxWidth: 'var(--nv-measure, var(--measure))',
    margin: '0 auto',
    padding: 'var(--nv-head, 26px) var(--nv-side, clamp(20px, 4vw, 64px)) 40vh',
    boxSizing: 'content-box',
    // A wide table scrolls by itself.
    minWidth: '0',
    caretColor: 'var(--accent)',
    overflowWrap: 'anywhere',
  },
  '.nv-top': {
    position: 'absolute',
    top: '0',
    boxSizing: 'border-box',
    padding: '0 var(--nv-side, clamp(20px, 4vw, 64px))',
  },
  '.nv-top:empty': { display: 'none' },
  // A line whose text is hidden keeps its height.
  '.cm-line': { padding: '0', minHeight: '1lh' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px', marginLeft: '-1px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.nv-mode-source .cm-scroller': { fontFamily: 'var(--font-code)', fontSize: '0.875rem' },
  '&.nv-mode-source .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)' },

  // Blank lines end paragraphs and leave less space than a line with a text.
  '.nv-blank': { lineHeight: '15px', minHeight: '15px' },
  '.nv-blank.nv-below-heading': { lineHeight: '5px', minHeight: '5px' },
  '.nv-heading': { paddingTop: '18px', paddingBottom: '5px', textWrap: 'balance' },
  '.nv-heading:first-child, .nv-elsewhere + .nv-heading, .nv-elsewhere + .nv-blank + .nv-heading': { paddingTop: '0' },
  '.nv-elsewhere + .nv-blank': { lineHeight: '0', minHeight: '0' },
  '.nv-h1': headings[0],
  '.nv-h2': headings[1],
  '.nv-h3': headings[2],
  '.nv-h4, .nv-h5, .nv-h6': headings[3],
  '.nv-h6': { color: 'var(--muted)' },

  // Hidden marks leave an empty image beside the text. In the line, it would let the line break there, so that a comma
  // after a link begins the next row.
  '.cm-widgetBuffer': { position: 'absolute', height: '1em', marginTop: '0.3em' },
  '.nv-syntax': { color: 'var(--faint)', fontWeight: '400', fontStyle: 'normal' },
  '.nv-em': { fontStyle: 'italic' },
  '.nv-strong': { fontWeight: '650' },
  '.nv-strike': { textDecoration: 'line-through' },
  '.nv-underline': { textDecoration: 'underline' },
  '.nv-highlight, mark': {
    backgroundColor: 'var(--highlight)',
    color: 'var(--text)',
    borderRadius: '3px',
    padding: '0 2px',
  },
  '.nv-small': { fontSize: '0.85em' },
  // Superscript must not increase the line height.
  '.nv-sup, .nv-sub, .nv-footnote': { fontSize: '0.75em', lineHeight: '0' },
  '.nv-sup, .nv-footnote': { verticalAlign: 'super' },
  '.nv-sub': { verticalAlign: 'sub' },
  '.nv-code, .nv-kbd': {
    ...code,
    lineHeight: '1',
    backgroundColor: 'var(--sunken)',
    borderRadius: '5px',
    padding: '2px 5px',
  },
  '.nv-kbd': { boxShadow: 'inset 0 -1px 0 var(--border)' },
  '.nv-link, .nv-footnote, .nv-embed-link': { color: 'var(--accent-ink)', textDecoration: 'none', cursor: 'pointer' },
  '.nv-link': {
    textDecoration: 'underline',
    textDecorationColor: 'var(--underline)',
    textDecorationThickness: '1.5px',
    textUnderlineOffset: '3px',
  },
  '.nv-link:hover': { textDecorationColor: 'currentColor' },
  '.nv-link-dangling': { color: 'var(--muted)', textDecorationStyle: 'dashed', textDecorationColor: 'var(--border)' },
  '.nv-link-refused': { color: 'var(--muted)', cursor: 'text' },
  '.nv-link.nv-revealed': { cursor: 'text' },
  '.nv-tag': {
    color: 'var(--accent-ink)',
    backgroundColor: 'var(--accent-soft)',
    borderRadius: 'var(--radius)',
    padding: '1px 5px',
    fontSize: '0.94em',
  },
  '.nv-comment, .nv-html, .nv-footnote-label, .nv-math-source': { color: 'var(--faint)' },
  '.nv-math-source': { ...code, lineHeight: '1' },
  '.nv-empty-line': { lineHeight: '0', height: '0' },
});
