import { EditorView } from '@codemirror/view';

const field = {
  font: 'inherit',
  color: 'var(--text)',
  background: 'var(--raised)',
  border: '1px solid var(--border)',
  borderRadius: 'var(--radius)',
  padding: 'var(--s2) var(--s3)',
};

/** CodeMirror's own panels, tooltips, gutters and the cursors of others. */
export const chromeTheme = EditorView.baseTheme({
  '.cm-panels': { background: 'var(--panel)', color: 'var(--text)', borderColor: 'var(--hairline)' },
  '.cm-panel.cm-search': { padding: 'var(--s3) var(--s5)', fontSize: 'var(--chrome)', fontFamily: 'var(--font)' },
  '.cm-panel.cm-search label': { fontSize: 'var(--chrome)', color: 'var(--muted)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--muted)', minWidth: '24px', minHeight: '24px' },
  '.cm-textfield': { ...field, fontSize: 'var(--chrome)' },
  '.cm-button': { ...field, backgroundImage: 'none', fontSize: 'var(--dense)', cursor: 'pointer' },
  '.cm-panels :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-searchMatch': { backgroundColor: 'var(--highlight)', color: 'var(--text)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--highlight) 60%, transparent)' },
  '.cm-gutters': { background: 'transparent', border: '0', color: 'var(--faint)' },
  '.cm-foldGutter .cm-gutterElement': { opacity: '0', cursor: 'pointer' },
  '.cm-gutters:hover .cm-gutterElement': { opacity: '1' },
  '.cm-foldPlaceholder': { background: 'var(--sunken)', border: '0', color: 'var(--muted)', padding: '0 var(--s3)' },
  '.cm-tooltip': {
    background: 'var(--raised)',
    border: '1px solid var(--hairline)',
    borderRadius: 'var(--radius-card)',
    boxShadow: '0 6px 24px var(--shadow)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font)', fontSize: 'var(--chrome)', maxHeight: '16em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: 'var(--s2) var(--s4)', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--selection)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal', marginInlineStart: 'var(--s4)' },
  '.nv-hover': {
    width: 'min(26em, 90vw)',
    maxHeight: '20em',
    overflow: 'auto',
    padding: 'var(--s4) var(--s5)',
    fontSize: '0.95em',
  },
  '.cm-ySelectionInfo': {
    fontFamily: 'var(--font)',
    fontSize: 'var(--caption)',
    fontStyle: 'normal',
    lineHeight: '1.3',
    borderRadius: 'var(--radius)',
    padding: '0 var(--s2)',
    opacity: '1',
    top: '-1.3em',
  },
});
