/** Gives a window of the app what the app adds to the DOM, as far as the plugin uses it (api: createSpan). */
export function extendWindow(window: Window): void {
  const createSpan = ({ cls = '', text = '' }: { readonly cls?: string; readonly text?: string }) => {
    const span = window.document.createElement('span');
    span.className = cls;
    span.textContent = text;
    return span;
  };
  Object.assign(window, { createSpan });
}
