/** Elements focused before a temporary field took the focus while a dialog loads, by that field. */
export const heldFocus = new WeakMap<Element, Element>();

/** Whether a dialog has the focus or is about to open: keys are meant for it. */
export function hasDialog(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [data-dialog-opening]') !== null;
}
