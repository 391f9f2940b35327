import { EditorView } from '@codemirror/view';

/** On paper: the text only, in black, without what is for the pointer. */
export const printTheme = EditorView.baseTheme({
  '@media print': {
    // Those of embedded notes; a theme cannot name its own editor in a media query, so the page has the rule for it.
    '.cm-editor': { display: 'block !important' },
    '.cm-scroller': { overflow: 'visible !important', display: 'block !important' },
    '.nv-top': { position: 'static', width: 'auto !important', padding: '0 0 8px' },
    '.cm-content': { maxWidth: 'none', padding: '0', color: '#000' },
    '.cm-gutters, .cm-panels, .cm-tooltip, .cm-cursorLayer, .cm-selectionLayer, .cm-ySelectionCaret': {
      display: 'none !important',
    },
    '.nv-chip-add, .nv-property-remove, .nv-property-footer, .nv-code-copy, .nv-pdf-bar': {
      display: 'none !important',
    },
    '.nv-chip': { whiteSpace: 'normal' },
    '.nv-heading': { breakAfter: 'avoid' },
    '.nv-block, .nv-code-line, .nv-callout': { breakInside: 'avoid' },
    '.nv-link': { color: '#000' },
  },
});
