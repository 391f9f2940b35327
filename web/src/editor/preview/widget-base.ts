import { type EditorView, WidgetType } from '@codemirror/view';
import { widgetHeights } from './heights.ts';

/** A widget that is equal to another of its class with the same key. */
export abstract class PreviewWidget extends WidgetType {
  /** Identifies the content; widgets of one class and key look the same. */
  abstract readonly key: string;

  override eq(other: WidgetType): boolean {
    return other.constructor === this.constructor && (other as PreviewWidget).key === this.key;
  }
}

/**
 * A block widget. Its height is cached, because it may be filled after it is inserted; `fill` may be asynchronous and
 * must stop when the signal aborts.
 */
export abstract class BlockWidget extends PreviewWidget {
  /** Class of the outer element. */
  protected abstract readonly className: string;
  /** Renders the content. Text of the note must be inserted as text, never as HTML. */
  protected abstract fill(element: HTMLElement, view: EditorView, signal: AbortSignal): void | Promise<void>;

  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement('div');
    element.className = `nv-block ${this.className}`;
    // A selection that begins in a widget needs a focusable element.
    element.tabIndex = -1;
    element.contentEditable = 'false';
    element.dataset.state = 'loading';
    const known = this.estimatedHeight;
    if (known > 0) element.style.minHeight = `${known}px`;
    const stop = new AbortController();
    const observer = new ResizeObserver(() => {
      widgetHeights.set(this.#heightKey, element.offsetHeight);
      view.requestMeasure();
    });
    cleanups.set(element, () => {
      stop.abort();
      observer.disconnect();
    });
    void this.#draw(element, view, stop.signal).then(() => {
      if (stop.signal.aborted) return;
      element.style.minHeight = '';
      element.dataset.state = 'drawn';
      observer.observe(element);
    });
    return element;
  }

  override get estimatedHeight(): number {
    return widgetHeights.get(this.#heightKey);
  }

  override destroy(element: HTMLElement): void {
    cleanups.get(element)?.();
    cleanups.delete(element);
  }

  /** Leaves all events inside to the widget. */
  override ignoreEvent(_event: Event): boolean {
    return true;
  }

  get #heightKey(): string {
    return `${this.className}\n${this.key}`;
  }

  async #draw(element: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    await this.fill(element, view, signal);
  }
}

const cleanups = new WeakMap<HTMLElement, () => void>();

/** Creates an element with a class and a text. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  if (className !== '') node.className = className;
  if (text !== '') node.textContent = text;
  return node;
}

/** Creates a button that does not submit forms. */
export function button(className: string, label: string, onPress: (event: MouseEvent) => void): HTMLButtonElement {
  const node = element('button', className, label);
  node.type = 'button';
  node.addEventListener('click', onPress);
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an icon from a path on a grid of 24, to be used beside text or in a labelled button. */
export function drawn(path: string): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.ariaHidden = 'true';
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}
