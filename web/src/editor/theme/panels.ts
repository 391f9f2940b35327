import { EditorView } from '@codemirror/view';
import { control, focusRing, plain } from './parts.ts';

/** Theme for the properties panel, uploads, and buttons inside the text. */
export const panelTheme = EditorView.baseTheme({
  // Space for one line of chips is reserved, or the text below would move when they appear.
  '.nv-block.nv-properties': {
    minHeight: 'calc(var(--chip-height) + 20px)',
    fontSize: 'var(--dense)',
    lineHeight: 'var(--leading-chrome)',
    padding: '0 0 20px',
  },
  // As far from the title as it is from the field of the title.
  '.nv-heading + .nv-block.nv-properties': { paddingTop: '9px' },
  '.nv-chips': { display: 'flex', flexWrap: 'wrap', gap: '6px' },
  '.nv-chip': {
    ...plain,
    display: 'inline-flex',
    alignItems: 'center',
    gap: '0.4em',
    maxWidth: '100%',
    minHeight: 'var(--chip-height)',
    padding: '0 9px',
    borderRadius: '7px',
    backgroundColor: 'var(--sunken)',
    color: 'var(--muted)',
    textAlign: 'start',
    whiteSpace: 'nowrap',
  },
  // Long values are cut: the form, one click away, shows all of them.
  '.nv-chip > span, .nv-chip > b': { minWidth: '2em', overflow: 'hidden', textOverflow: 'ellipsis' },
  'button.nv-chip': { cursor: 'pointer' },
  'button.nv-chip:hover': { color: 'var(--text)' },
  '.nv-chip > b': { fontWeight: '520', color: 'var(--text)' },
  '.nv-chip > svg': {
    flex: 'none',
    width: '13px',
    height: '13px',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '1.75',
  },
  '.nv-chip-tag': { backgroundColor: 'var(--accent-soft)', color: 'var(--accent-ink)' },
  '.nv-chip-add': { backgroundColor: 'transparent', color: 'var(--faint)' },
  '&': { '--chip-height': 'max(26px, var(--target))' },
  '.nv-property-rows': {
    display: 'grid',
    gap: 'var(--s2)',
    borderBottom: '1px solid var(--hairline)',
    paddingBottom: 'var(--s4)',
  },
  '.nv-property': {
    display: 'grid',
    gridTemplateColumns: 'minmax(7em, 11em) 1fr auto',
    gap: 'var(--s3)',
    alignItems: 'center',
  },
  '.nv-property-name': { color: 'var(--muted)', overflow: 'hidden', textOverflow: 'ellipsis' },
  '.nv-property-input': {
    ...plain,
    minHeight: 'var(--target)',
    width: '100%',
    borderRadius: 'var(--radius)',
    boxSizing: 'border-box',
    textOverflow: 'ellipsis',
  },
  '.nv-property-input:hover': { background: 'var(--sunken)' },
  '.nv-property-items': { display: 'flex', flexWrap: 'wrap', gap: 'var(--s2)' },
  '.nv-property-item': {
    display: 'inline-flex',
    alignItems: 'center',
    background: 'var(--sunken)',
    borderRadius: '1em',
    padding: '0 var(--s3)',
    minHeight: 'var(--target)',
  },
  '.nv-property-item .nv-property-input': { width: 'auto', fieldSizing: 'content' },
  '.nv-property-box': {
    display: 'inline-grid',
    alignItems: 'center',
    justifySelf: 'start',
    minWidth: 'var(--target)',
    minHeight: 'var(--target)',
  },
  '.nv-property-checkbox': {
    width: '1.1em',
    height: '1.1em',
    margin: '0',
    accentColor: 'var(--accent)',
  },
  '.nv-property-new': { width: '8em', color: 'var(--muted)' },
  '.nv-property-source': {
    fontFamily: 'var(--font-code)',
    fontSize: '0.9em',
    whiteSpace: 'pre-wrap',
    color: 'var(--muted)',
  },
  '.nv-property-remove': {
    ...plain,
    color: 'var(--faint)',
    cursor: 'pointer',
    minWidth: 'var(--target)',
    minHeight: 'var(--target)',
    opacity: '0',
  },
  '.nv-property:hover .nv-property-remove, .nv-property-item:hover .nv-property-remove, .nv-property-remove:focus-visible':
    {
      opacity: '1',
    },
  '.nv-property-footer': { display: 'flex', justifyContent: 'space-between' },
  '.nv-properties-text': { ...plain, color: 'var(--muted)', cursor: 'pointer', minHeight: 'var(--target)' },
  '.nv-properties-unreadable': { color: 'var(--warn)', margin: '0' },
  '.nv-remote-button, .nv-file': { ...control, cursor: 'pointer', fontSize: 'var(--chrome)' },
  '.nv-pdf-turn': { ...control, minWidth: '28px', cursor: 'pointer' },
  '.nv-upload': {
    display: 'inline-flex',
    gap: 'var(--s3)',
    alignItems: 'center',
    color: 'var(--muted)',
    fontSize: 'var(--chrome)',
  },
  '.nv-upload-cancel': { ...control, cursor: 'pointer' },
  '@media (pointer: coarse)': {
    // A chip of 34 px in a target of 44.
    '.nv-chip': { borderBlock: '5px solid transparent', borderRadius: '7px / 12px', backgroundClip: 'padding-box' },
    '.nv-chips': { gap: '0 6px' },
    // There is no pointer to come near.
    '.nv-property-remove': { opacity: '1' },
  },
  ':is(.nv-block, .nv-upload, .nv-remote-image, .nv-code-head) :is(button, input, a):focus-visible': focusRing,
});
