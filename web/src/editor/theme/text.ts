import { EditorView } from '@codemirror/view';

/** Text within lines. A line keeps its height, whether its marks show or not. */
export const textTheme = EditorView.baseTheme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font)', fontSize: 'var(--body)', lineHeight: 'var(--leading-note)' },
  '.cm-content': {
    maxWidth: 'var(--nv-measure, var(--measure))',
    margin: '0 auto',
    padding: 'var(--s6) clamp(20px, 4vw, 64px) 40vh',
    boxSizing: 'content-box',
    caretColor: 'var(--accent)',
    overflowWrap: 'anywhere',
  },
  // A line whose text is hidden keeps its height.
  '.cm-line': { padding: '0 var(--s1)', minHeight: '1lh' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.nv-mode-source .cm-scroller': { fontFamily: 'var(--font-code)', fontSize: '0.9375rem' },
  '&.nv-mode-source .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--sunken) 60%, transparent)' },

  '.nv-heading': { fontWeight: '600', lineHeight: '1.25', paddingTop: '0.6em', paddingBottom: '0.2em' },
  '.nv-h1': { fontSize: 'var(--h1)', fontWeight: '650' },
  '.nv-h2': { fontSize: 'var(--h2)' },
  '.nv-h3': { fontSize: 'var(--h3)' },
  '.nv-h4, .nv-h5, .nv-h6': { fontSize: '1em' },
  '.nv-h6': { color: 'var(--muted)' },

  // Hidden marks leave an empty image beside the text. In the line, it would let the line break there, so that a comma
  // after a link begins the next row.
  '.cm-widgetBuffer': { position: 'absolute', height: '1em', marginTop: '0.3em' },
  '.nv-syntax': { color: 'var(--faint)', fontWeight: '400', fontStyle: 'normal' },
  '.nv-em': { fontStyle: 'italic' },
  '.nv-strong': { fontWeight: '650' },
  '.nv-strike': { textDecoration: 'line-through' },
  '.nv-underline': { textDecoration: 'underline' },
  '.nv-highlight, mark': { backgroundColor: 'var(--highlight)', color: 'var(--text)', borderRadius: '2px' },
  '.nv-small': { fontSize: '0.85em' },
  // Raised text must not raise its line.
  '.nv-sup, .nv-sub, .nv-footnote': { fontSize: '0.75em', lineHeight: '0' },
  '.nv-sup, .nv-footnote': { verticalAlign: 'super' },
  '.nv-sub': { verticalAlign: 'sub' },
  '.nv-code, .nv-kbd': {
    fontFamily: 'var(--font-code)',
    fontSize: '0.88em',
    lineHeight: '1',
    backgroundColor: 'var(--sunken)',
    borderRadius: 'var(--radius)',
    padding: '0.1em 0.3em',
  },
  '.nv-kbd': { boxShadow: 'inset 0 -1px 0 var(--border)' },
  '.nv-link, .nv-footnote, .nv-embed-link': { color: 'var(--accent)', textDecoration: 'none', cursor: 'pointer' },
  '.nv-link:hover': { textDecoration: 'underline', textUnderlineOffset: '0.15em' },
  '.nv-link-web': { textDecoration: 'underline', textDecorationThickness: '1px', textUnderlineOffset: '0.15em' },
  '.nv-link-dangling': {
    color: 'var(--muted)',
    textDecoration: 'underline dashed',
    textDecorationThickness: '1px',
    textUnderlineOffset: '0.15em',
  },
  '.nv-link-refused': { color: 'var(--muted)', cursor: 'text' },
  '.nv-link.nv-revealed': { cursor: 'text' },
  '.nv-tag': {
    color: 'var(--accent)',
    backgroundColor: 'color-mix(in srgb, var(--accent) 9%, transparent)',
    borderRadius: '1em',
    padding: '0.05em 0.4em',
  },
  '.nv-comment, .nv-html, .nv-footnote-label, .nv-math-source': { color: 'var(--faint)' },
  '.nv-math-source': { fontFamily: 'var(--font-code)', fontSize: '0.88em', lineHeight: '1' },
  '.nv-empty-line': { lineHeight: '0', height: '0' },

  '.nv-list-line': {
    textIndent: 'calc(-1 * var(--nv-indent))',
    paddingInlineStart: 'calc(var(--nv-indent) + 2px) !important',
  },
  '.nv-list-prefix': {
    display: 'inline-block',
    minWidth: 'var(--nv-indent)',
    textIndent: '0',
    textAlign: 'end',
    whiteSpace: 'pre',
  },
  '.nv-bullet': { color: 'var(--faint)' },
  '.nv-number': { color: 'var(--muted)', fontVariantNumeric: 'tabular-nums' },
  '.nv-task': {
    width: '1em',
    height: '1em',
    margin: '0 0.1em 0 0',
    verticalAlign: '-0.1em',
    accentColor: 'var(--accent)',
  },
  '.nv-task-done': { color: 'var(--muted)', textDecoration: 'line-through', textDecorationColor: 'var(--faint)' },
  '.nv-visually-hidden': {
    position: 'absolute',
    width: '1px',
    height: '1px',
    overflow: 'hidden',
    clipPath: 'inset(50%)',
  },
});
