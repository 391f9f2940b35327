import { EditorView } from '@codemirror/view';
import { control, focusRing, plain } from './parts.ts';

/** The properties panel, uploads, and buttons inside the text. */
export const panelTheme = EditorView.baseTheme({
  '.nv-properties': { fontSize: 'var(--chrome)', lineHeight: 'var(--leading-chrome)', paddingBottom: 'var(--s5)' },
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
    minHeight: '24px',
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
    minHeight: '24px',
  },
  '.nv-property-item .nv-property-input': { width: 'auto', fieldSizing: 'content' },
  '.nv-property-checkbox': {
    width: '1.1em',
    height: '1.1em',
    margin: '0',
    justifySelf: 'start',
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
    minWidth: '24px',
    minHeight: '24px',
    opacity: '0',
  },
  '.nv-property:hover .nv-property-remove, .nv-property-item:hover .nv-property-remove, .nv-property-remove:focus-visible':
    {
      opacity: '1',
    },
  '.nv-property-footer': { display: 'flex', justifyContent: 'space-between' },
  '.nv-properties-text': { ...plain, color: 'var(--muted)', cursor: 'pointer', minHeight: '24px' },
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
  ':is(.nv-block, .nv-upload, .nv-remote-image, .nv-code-head) :is(button, input, a):focus-visible': focusRing,
});
