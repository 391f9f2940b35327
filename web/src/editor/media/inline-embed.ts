import type { EditorView } from '@codemirror/view';
import type { EmbedSpec } from '@notevault/note-html/links/embed-spec.ts';
import { element } from '../preview/widget-base.ts';
import { drawMedia } from './media-elements.ts';
import { drawRemoteImage } from './remote-image.ts';

/** Draws a file of the vault or an image of another server within text; null for any other embed. */
export function inlineEmbed(spec: EmbedSpec, view: EditorView, signal: AbortSignal): HTMLElement | null {
  const holder = element('span', 'nv-media-inline');
  if (spec.kind === 'remote') drawRemoteImage(holder, view, spec.url, spec.alt);
  else if (spec.kind === 'media') void drawMedia(holder, view, spec.media, signal);
  else return null;
  return holder;
}
