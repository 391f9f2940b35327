import { EditorView } from '@codemirror/view';
import { control } from './parts.ts';

/** Theme for tables that are edited in place, and for query tables. */
export const tableTheme = EditorView.baseTheme({
  '.nv-query': { overflowX: 'auto' },
  '.nv-query-title': { margin: '0 0 var(--s2)', fontWeight: '600' },
  '.nv-query-note': { margin: 'var(--s2) 0 0', color: 'var(--muted)', fontSize: 'var(--dense)' },
  '.nv-query-list': { margin: '0', paddingInlineStart: '20px', listStyle: 'disc' },
  '.nv-query-list small': { color: 'var(--muted)', fontSize: 'var(--dense)' },
  '.nv-query-more': { ...control, cursor: 'pointer', minHeight: 'var(--row)' },
  '.nv-query-link': {
    padding: '0',
    border: '0',
    background: 'none',
    color: 'var(--accent-ink)',
    font: 'inherit',
    textAlign: 'start',
    textDecoration: 'underline var(--underline) 1.5px',
    textUnderlineOffset: '3px',
    cursor: 'pointer',
    minHeight: 'var(--target)',
  },
  '.nv-grid': {
    display: 'grid',
    gridTemplateColumns: 'repeat(var(--nv-columns), minmax(min-content, auto))',
    overflowX: 'auto',
    border: '1px solid var(--hairline)',
    borderRadius: 'var(--radius-card)',
    lineHeight: '1.5',
    fontSize: '0.9375rem',
  },
  // Rows outside the viewport too: side by side, a row and the gap below it would have the height of the gap.
  '.nv-grid > *': { gridColumn: '1 / -1' },
  '.nv-grid-rule': { height: '0' },
  '.nv-row.cm-line': {
    display: 'grid',
    gridTemplateColumns: 'subgrid',
    padding: '0',
    direction: 'inherit',
    borderTop: '1px solid var(--hairline)',
  },
  '.nv-row-head.cm-line': {
    borderTop: '0',
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    fontSize: 'var(--dense)',
    fontWeight: '600',
  },
  // Elements other than cells, such as other people's cursors, must not take a column.
  '.nv-row > :not(.nv-cell)': { position: 'absolute' },
  '.nv-cell': {
    display: 'block',
    minWidth: '3em',
    padding: 'var(--s3) 14px',
    borderInlineStart: '1px solid var(--hairline)',
    // Words stay whole, and a wide table scrolls.
    overflowWrap: 'break-word',
    wordBreak: 'normal',
    // A cell without a text is as high as one with it.
    minHeight: '1lh',
  },
  '.nv-cell :is(.nv-link, .nv-code)': { overflowWrap: 'anywhere' },
  '.nv-cell:first-child': { borderInlineStart: '0' },
  '.nv-cell-left': { textAlign: 'left' },
  '.nv-cell-center': { textAlign: 'center' },
  '.nv-cell-right': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '.nv-cell-extra': { color: 'var(--muted)' },
  '&:focus-within .nv-cell-active': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
});
