import { EditorView } from '@codemirror/view';
import type { MediaSpec } from '@notevault/note-html/links/embed-spec.ts';
import { BlockWidget, element, PreviewWidget } from '../preview/widget-base.ts';
import { drawMedia } from './media-elements.ts';
import { drawRemoteImage } from './remote-image.ts';

/** A file of the vault, on a line of its own. */
export class MediaBlockWidget extends BlockWidget {
  readonly key: string;
  protected readonly className: string;
  readonly #media: MediaSpec;

  constructor(media: MediaSpec) {
    super();
    this.key = JSON.stringify(media);
    this.className = `nv-media nv-media-${media.kind}`;
    this.#media = media;
  }

  protected fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    return drawMedia(parent, view, this.#media, signal);
  }

  override ignoreEvent(event: Event): boolean {
    return !movesCursor(event);
  }
}

/** A file of the vault within a line. */
export class MediaInlineWidget extends PreviewWidget {
  readonly key: string;
  readonly #media: MediaSpec;

  constructor(media: MediaSpec) {
    super();
    this.key = JSON.stringify(media);
    this.#media = media;
  }

  toDOM(view: EditorView): HTMLElement {
    const node = element('span', 'nv-media-inline');
    const stop = new AbortController();
    stops.set(node, stop);
    void drawMedia(node, view, this.#media, stop.signal).then(() => view.requestMeasure());
    return node;
  }

  override destroy(node: HTMLElement): void {
    stops.get(node)?.abort();
  }

  override ignoreEvent(event: Event): boolean {
    return !movesCursor(event);
  }
}

/**
 * Returns whether an event moves the cursor to the source: a click on an image or its placeholder. Players and
 * documents have their own controls.
 */
function movesCursor({ target }: Event): boolean {
  return target instanceof Element && target.closest('img, .nv-missing') !== null;
}

/**
 * Puts the cursor at the source of an image or placeholder that is pressed. The place comes from the element: the editor
 * would look it up by coordinates, and find the line below until the blank line between has been measured.
 */
export const mediaPresses = EditorView.domEventHandlers({
  mousedown(event, view) {
    const isPlain = event.button === 0 && event.detail < 2 && !event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (!isPlain || event.altKey || !movesCursor(event)) return false;
    const widget = (event.target as Element).closest('.nv-media, .nv-media-inline');
    if (widget === null) return false;
    event.preventDefault();
    view.dispatch({ selection: { anchor: view.posAtDOM(widget) }, userEvent: 'select.pointer' });
    view.focus();
    return true;
  },
});

const stops = new WeakMap<HTMLElement, AbortController>();

/** An image of another server, loaded only on a click, because loading tells that server who reads what. */
export class RemoteImageWidget extends PreviewWidget {
  readonly key: string;
  readonly #url: string;
  readonly #alt: string;

  constructor(url: string, alt: string) {
    super();
    this.key = `${url}\n${alt}`;
    this.#url = url;
    this.#alt = alt;
  }

  toDOM(view: EditorView): HTMLElement {
    const node = element('span', 'nv-remote-image');
    drawRemoteImage(node, view, this.#url, this.#alt);
    return node;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
