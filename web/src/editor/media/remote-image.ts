import type { EditorView } from '@codemirror/view';
import { services } from '../core/services.ts';
import { button, element } from '../preview/widget-base.ts';
import { sandboxedFrame } from './frame.ts';
import { stringsOf } from './inline-widgets.ts';

/** URLs that the user has allowed to load, so that scrolling back does not ask again. */
const allowed = new Set<string>();

/**
 * Creates a button that loads an image of another server, in a frame, because the page's policy forbids loading from
 * other servers.
 */
export function drawRemoteImage(parent: HTMLElement, view: EditorView, url: string, alt: string): void {
  const strings = stringsOf(view);
  const show = () => {
    allowed.add(url);
    const frames = view.state.facet(services)?.framesUrl ?? '/frames/';
    const stop = new AbortController();
    const frame = sandboxedFrame(
      `${frames}image.html`,
      alt === '' ? url : alt,
      () => ({ url, alt }),
      (report) => {
        if (report.type === 'failed') parent.replaceChildren(element('span', 'nv-missing', strings.imageFailed));
        else if (report.type === 'drawn') frame.style.width = `${Math.ceil(report.width)}px`;
        view.requestMeasure();
      },
      stop.signal,
    );
    parent.replaceChildren(frame);
  };
  if (allowed.has(url)) {
    show();
    return;
  }
  const host = URL.canParse(url) ? new URL(url).host : url;
  const label = [alt, `${strings.loadRemoteImage} ${host}`].filter((part) => part !== '').join(' · ');
  parent.replaceChildren(button('nv-remote-button', label, show));
}
