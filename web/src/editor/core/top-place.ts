import type { EditorView } from '@codemirror/view';

/** A place above the text. */
export interface TopPlace extends Disposable {
  readonly element: HTMLElement;
}

/**
 * Makes a place above the text, as wide as the text, which scrolls with it. It is no part of the document: what is in it
 * can be a field of its own.
 */
export function topPlace(view: EditorView): TopPlace {
  const { scrollDOM, contentDOM } = view;
  const element = document.createElement('div');
  element.className = 'nv-top';
  const watched = new WeakSet<Element>();
  const fit = () => {
    // Gutters move the text without changing its size.
    for (const gutters of scrollDOM.querySelectorAll(':scope > .cm-gutters')) {
      if (!watched.has(gutters)) sizes.observe(gutters);
      watched.add(gutters);
    }
    element.style.left = `${contentDOM.offsetLeft}px`;
    element.style.width = `${contentDOM.offsetWidth}px`;
    const before = paddingOf(contentDOM);
    if (element.childElementCount === 0) scrollDOM.style.removeProperty('--nv-head');
    else scrollDOM.style.setProperty('--nv-head', `${element.offsetHeight}px`);
    // Once it is out of sight, what is below it stays.
    if (scrollDOM.scrollTop >= before) scrollDOM.scrollTop += paddingOf(contentDOM) - before;
    view.requestMeasure();
  };
  const sizes = new ResizeObserver(fit);
  for (const each of [scrollDOM, contentDOM, element]) sizes.observe(each);
  // At once, so that the text does not move after it was painted.
  const children = new MutationObserver(fit);
  for (const each of [element, scrollDOM]) children.observe(each, { childList: true });
  // On paper it is what comes first.
  scrollDOM.prepend(element);
  return {
    element,
    [Symbol.dispose]() {
      sizes.disconnect();
      children.disconnect();
      element.remove();
    },
  };
}

function paddingOf(element: HTMLElement): number {
  return Number.parseFloat(getComputedStyle(element).paddingTop);
}
