import { EditorView } from '@codemirror/view';
import { control, floating, focusRing } from './parts.ts';

/** Theme for CodeMirror's panels, tooltips and gutters, and for others' cursors. */
export const chromeTheme = EditorView.baseTheme({
  '.cm-panels': { background: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--hairline)' },
  '.cm-panel.cm-search': { padding: 'var(--s3) var(--s5)', fontSize: 'var(--chrome)', fontFamily: 'var(--font)' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 'var(--s2)',
    minHeight: 'var(--target)',
    fontSize: 'var(--chrome)',
    color: 'var(--muted)',
  },
  '.cm-panel.cm-search [name=close]': {
    color: 'var(--muted)',
    minWidth: 'var(--target)',
    minHeight: 'var(--target)',
  },
  '.cm-textfield': { ...control, fontSize: 'var(--chrome)' },
  '.cm-button': { ...control, backgroundImage: 'none', fontSize: 'var(--dense)', cursor: 'pointer' },
  '.cm-panels :focus-visible': focusRing,
  '.cm-searchMatch': { backgroundColor: 'var(--highlight)', color: 'var(--text)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.nv-found': { backgroundColor: 'var(--highlight)', color: 'var(--text)', borderRadius: '3px' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--highlight) 60%, transparent)' },
  '.cm-gutters': { background: 'transparent', border: '0', color: 'var(--faint)' },
  // As wide without a mark, so that the text stays where it is when the first list or heading is typed.
  '.cm-foldGutter': { width: '16px' },
  '.cm-foldGutter .cm-gutterElement': { opacity: '0', cursor: 'pointer' },
  '.cm-gutters:hover .cm-gutterElement': { opacity: '1' },
  '@media (max-width: 760px)': { '.cm-gutters': { display: 'none !important' } },
  '.cm-foldPlaceholder': { background: 'var(--sunken)', border: '0', color: 'var(--muted)', padding: '0 var(--s3)' },
  '.cm-tooltip': { ...floating, overflow: 'hidden' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font)',
    fontSize: 'var(--chrome)',
    maxHeight: '20em',
    padding: 'var(--s2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    lineHeight: 'var(--row)',
    padding: '0 var(--s4)',
    borderRadius: 'var(--radius)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent-soft)',
    color: 'var(--text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '660', color: 'var(--accent-ink)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginInlineStart: 'var(--s4)' },
  '.nv-hover': {
    width: 'min(26em, 90vw)',
    maxHeight: '20em',
    overflow: 'auto',
    padding: 'var(--s4) var(--s5)',
    fontSize: '0.95em',
  },
  // Overrides the rules of the Yjs binding, which may come later.
  '.cm-ySelectionCaret > .cm-ySelectionInfo': {
    fontFamily: 'var(--font)',
    fontSize: '10.5px',
    fontStyle: 'normal',
    fontWeight: '600',
    lineHeight: '15px',
    borderRadius: '0 4px 4px 4px',
    padding: '0 5px',
    opacity: '1',
    top: '100%',
    transition: 'none',
    pointerEvents: 'none',
  },
  '.cm-ySelectionCaret > .cm-ySelectionCaretDot': { display: 'none' },
});
