import type { EditorView } from '@codemirror/view';
import type { MediaSpec } from '@notevault/note-html/links/embed-spec.ts';
import type { ImageSize } from '@notevault/note-html/links/media-kind.ts';
import { services } from '../core/services.ts';
import { openDestination } from '../links/link-click.ts';
import { button, drawn, element } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** Draws an embedded file of the vault into an element. */
export async function drawMedia(
  parent: HTMLElement,
  view: EditorView,
  media: MediaSpec,
  signal: AbortSignal,
): Promise<void> {
  const url = (await view.state.facet(services)?.content.mediaUrl(media.path)) ?? null;
  if (signal.aborted) return;
  if (url === null) {
    parent.replaceChildren(missingCard(media.path, stringsOf(view).notFound));
    return;
  }
  if (media.kind === 'pdf') {
    const { drawPdf } = await import('./pdf.ts');
    await drawPdf(parent, url, media.page, stringsOf(view), signal);
    return;
  }
  parent.replaceChildren(mediaElement(view, media, url));
  if (media.kind !== 'image' || (await loads(parent, signal)) || signal.aborted) return;
  parent.replaceChildren(missingCard(media.path, stringsOf(view).imageFailed));
}

const NO_PICTURE = 'M4 5h16v14H4zM4 16l4.5-4.5 4 4M14 13l1.5-1.5L20 16M4 4l16 16';

/** Creates the placeholder of a missing file or broken image: its name, and why it is not shown. */
function missingCard(path: string, why: string): HTMLElement {
  const card = element('span', 'nv-missing nv-missing-card');
  card.title = path;
  const name = element('b', '', path.slice(path.lastIndexOf('/') + 1));
  name.dir = 'auto';
  card.append(drawn(NO_PICTURE), name, ' ', element('span', '', why));
  return card;
}

function mediaElement(view: EditorView, media: MediaSpec, url: string): HTMLElement {
  switch (media.kind) {
    case 'image':
      return imageElement(url, media.alt, media.size);
    case 'audio':
    case 'video': {
      const player = element(media.kind, `nv-${media.kind}`);
      player.controls = true;
      player.preload = 'metadata';
      player.src = url;
      if (media.size !== null) player.style.width = `${media.size.width}px`;
      return player;
    }
    default: {
      const link = { target: media.path, anchor: null, form: 'wikilink' } as const;
      return button('nv-file', media.alt === '' ? media.path : media.alt, (event) =>
        openDestination(view, { kind: 'note', link }, event.ctrlKey || event.metaKey),
      );
    }
  }
}

/** An image. SVG is drawn as an image too, where its scripts do not run. */
export function imageElement(url: string, alt: string, size: ImageSize | null): HTMLImageElement {
  const image = element('img', 'nv-image');
  image.alt = alt;
  image.loading = 'eager';
  image.decoding = 'async';
  image.referrerPolicy = 'no-referrer';
  if (size !== null) {
    image.style.width = `${size.width}px`;
    if (size.height !== null) image.style.height = `${size.height}px`;
  }
  image.src = url;
  return image;
}

/** Resolves to whether the image in an element can be shown, once it has loaded or failed. */
async function loads(parent: HTMLElement, signal: AbortSignal): Promise<boolean> {
  const image = parent.querySelector('img');
  if (image === null) return true;
  if (image.complete) return image.naturalWidth > 0;
  return new Promise((resolve) => {
    image.addEventListener('load', () => resolve(true), { once: true });
    image.addEventListener('error', () => resolve(false), { once: true });
    signal.addEventListener('abort', () => resolve(true), { once: true });
  });
}
