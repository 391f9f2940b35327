import { EditorView } from '@codemirror/view';

const LEVEL = 'var(--nv-level-width)';

/** Draws a vertical line in the mark column of each enclosing level. */
const guides = (side: 'left' | 'right') => ({
  backgroundImage: `repeating-linear-gradient(to ${side === 'left' ? 'right' : 'left'}, transparent 0 9px, var(--hairline) 9px 10px, transparent 10px ${LEVEL})`,
  backgroundSize: `calc((var(--nv-level) - 1) * ${LEVEL}) 100%`,
  backgroundPosition: `${side} var(--nv-start, 0px) top`,
  backgroundRepeat: 'no-repeat',
});

/** Theme for lists: each level is 24 px wide, with marks and checkboxes before the texts. */
export const listTheme = EditorView.baseTheme({
  '.cm-line.nv-list-line': {
    '--nv-level-width': '24px',
    textIndent: 'calc(-1 * var(--nv-indent))',
    paddingBlock: '1.5px',
    // Within a quote or callout, behind the space that it begins with.
    paddingInlineStart: 'calc(var(--nv-start, 0px) + var(--nv-indent)) !important',
    ...guides('left'),
  },
  '.cm-line.nv-list-line:dir(rtl)': guides('right'),
  '.nv-list-prefix': {
    display: 'inline-block',
    minWidth: 'var(--nv-indent)',
    textIndent: '0',
    textAlign: 'end',
    whiteSpace: 'pre',
  },
  '.nv-bullet': {
    display: 'inline-block',
    width: '5px',
    height: '5px',
    marginInlineEnd: '6px',
    borderRadius: '50%',
    // Half of the x-height above the baseline.
    verticalAlign: 'middle',
    backgroundColor: 'var(--faint)',
    fontSize: '0',
  },
  '.nv-number': { color: 'var(--muted)', fontVariantNumeric: 'tabular-nums' },
  // A box of 17 px in a target of 24.
  '.nv-task': {
    appearance: 'none',
    border: '0',
    background: 'none',
    position: 'relative',
    display: 'inline-block',
    width: '24px',
    height: '24px',
    margin: '-4px -2px -4px -4px',
    verticalAlign: '-2.5px',
    cursor: 'pointer',
  },
  '.nv-task::before': {
    content: '""',
    position: 'absolute',
    inset: '3.5px',
    boxSizing: 'border-box',
    border: '1.6px solid var(--border)',
    borderRadius: '5px',
  },
  '.nv-task:checked': { background: 'none' },
  '.nv-task:hover::before': { borderColor: 'var(--accent)' },
  '.nv-task:checked::before': { borderColor: 'var(--accent)', backgroundColor: 'var(--accent)' },
  '.nv-task:checked::after': {
    content: '""',
    position: 'absolute',
    left: '9.6px',
    top: '6.4px',
    width: '5px',
    height: '9px',
    boxSizing: 'border-box',
    border: 'solid var(--on-accent)',
    borderWidth: '0 2px 2px 0',
    transform: 'rotate(42deg)',
  },
  '.nv-task:focus-visible': { outline: 'none' },
  '.nv-task:focus-visible::before': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.nv-task-done': { color: 'var(--faint)', textDecoration: 'line-through', textDecorationColor: 'currentColor' },
  // Only the text is struck out.
  '.nv-task-done .nv-list-prefix': { textDecoration: 'none' },
  '@media (pointer: coarse)': {
    // As high as the row, also while the cursor shows the source of the box.
    '.cm-line.nv-task-line': { paddingBlock: 'calc((44px - 1lh) / 2)' },
    '.nv-task': { width: '44px', height: '44px', margin: '-10px -12px -10px -14px', verticalAlign: '-6.5px' },
    '.nv-task::before': { inset: '13.5px' },
    '.nv-task:checked::after': { left: '19.6px', top: '16.4px' },
  },
  '@media (forced-colors: active)': {
    '.nv-task': { appearance: 'auto', width: '17px', height: '17px' },
    '.nv-task::before, .nv-task::after': { display: 'none' },
    '.nv-bullet': { backgroundColor: 'CanvasText', forcedColorAdjust: 'none' },
  },
  '.nv-visually-hidden': {
    position: 'absolute',
    width: '1px',
    height: '1px',
    overflow: 'hidden',
    clipPath: 'inset(50%)',
  },
});
