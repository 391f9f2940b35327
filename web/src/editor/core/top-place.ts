import type { EditorView } from '@codemirror/view';

/** An element above the text. */
export interface TopPlace extends Disposable {
  readonly element: HTMLElement;
}

/**
 * Creates an element above the text, as wide as the text, which scrolls with it. It is not part of the document, so it
 * can contain input fields.
 */
export function topPlace(view: EditorView): TopPlace {
  const { scrollDOM, contentDOM } = view;
  const element = document.createElement('div');
  element.className = 'nv-top';
  const watched = new WeakSet<Element>();
  const fit = () => {
    // Gutters shift the text without resizing it.
    for (const gutters of scrollDOM.querySelectorAll(':scope > .cm-gutters')) {
      if (!watched.has(gutters)) sizes.observe(gutters);
      watched.add(gutters);
    }
    element.style.left = `${contentDOM.offsetLeft}px`;
    element.style.width = `${contentDOM.offsetWidth}px`;
    const before = paddingOf(contentDOM);
    if (element.childElementCount === 0) scrollDOM.style.removeProperty('--nv-head');
    else scrollDOM.style.setProperty('--nv-head', `${element.offsetHeight}px`);
    // Once the element is out of view, the text below it must not move.
    if (scrollDOM.scrollTop >= before) scrollDOM.scrollTop += paddingOf(contentDOM) - before;
    view.requestMeasure();
  };
  const sizes = new ResizeObserver(fit);
  for (const each of [scrollDOM, contentDOM, element]) sizes.observe(each);
  // Immediately, so that the text does not move after the first paint.
  const children = new MutationObserver(fit);
  for (const each of [element, scrollDOM]) children.observe(each, { childList: true });
  // In print it comes first.
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
