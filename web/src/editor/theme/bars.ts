import { EditorView } from '@codemirror/view';
import { floating, icon } from './parts.ts';

/** Theme for the table and format bars, and for the icons of the slash menu. */
export const barTheme = EditorView.baseTheme({
  '.nv-bar': { display: 'flex', boxSizing: 'border-box', overflowX: 'auto', padding: 'var(--s1)' },
  '.cm-tooltip.nv-bar': { maxWidth: 'calc(100vw - 2 * var(--s6))', ...floating },
  '.nv-table-bar': { justifyContent: 'safe center', padding: 'var(--s2) var(--s3)' },
  // The table bar is shown only while the text, or the bar itself, has the focus.
  '&:not(:focus-within) .nv-table-bar': { display: 'none' },
  '.nv-bar > div': { display: 'flex', flex: 'none' },
  '.nv-bar > div + div': {
    marginInlineStart: 'var(--s2)',
    paddingInlineStart: 'var(--s2)',
    borderInlineStart: '1px solid var(--hairline)',
  },
  '.nv-bar-tool': {
    display: 'grid',
    placeItems: 'center',
    width: 'var(--row)',
    height: 'var(--row)',
    padding: '0',
    border: '0',
    borderRadius: 'var(--radius)',
    background: 'none',
    color: 'var(--muted)',
    cursor: 'pointer',
  },
  '.nv-bar-tool:hover': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '.nv-bar-tool svg': icon,
  '.nv-bar-tool[aria-pressed="true"]': { backgroundColor: 'var(--accent-soft)', color: 'var(--accent-ink)' },
  // The format bar is shown only while the text, or the bar itself, has the focus.
  '.nv-format-bar': { visibility: 'hidden' },
  '&.cm-focused:not([data-pressed]) .nv-format-bar, .nv-format-bar:focus-within': { visibility: 'visible' },
  // On phones the tools are above the keyboard.
  '@media (max-width: 760px)': { '.nv-format-bar': { display: 'none !important' } },
  '.nv-option-icon': {
    width: '18px',
    height: '18px',
    marginInlineEnd: 'var(--s3)',
    verticalAlign: '-4px',
    color: 'var(--muted)',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '1.6',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  },
});
