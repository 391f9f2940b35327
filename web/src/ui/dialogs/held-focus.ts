/** What had the focus before a field took it that is there only until a dialog is loaded; by that field. */
export const heldFocus = new WeakMap<Element, Element>();

/** Whether a dialog has the focus, or is about to be there: what is typed is for it. */
export function hasDialog(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [data-dialog-opening]') !== null;
}
