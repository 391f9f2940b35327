/** What had the focus before a field took it that is there only until a dialog is loaded; by that field. */
export const heldFocus = new WeakMap<Element, Element>();
