import type { EditorView } from '@codemirror/view';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import { services } from '../core/services.ts';
import { openDestination } from '../links/link-click.ts';
import { drawNote, embedDepth, MAX_EMBED_DEPTH } from '../preview/nested.ts';
import { BlockWidget, button, element } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** A note, or a section of it, inside another one. */
export class NoteEmbedWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-embed';
  readonly #link: LinkTarget;

  constructor(link: LinkTarget) {
    super();
    this.key = JSON.stringify(link);
    this.#link = link;
  }

  protected async fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    const strings = stringsOf(view);
    const app = view.state.facet(services);
    const depth = view.state.facet(embedDepth) + 1;
    const title = button('nv-embed-title', nameOf(this.#link), (event) =>
      openDestination(view, { kind: 'note', link: this.#link }, event.ctrlKey || event.metaKey),
    );
    const body = element('div', 'nv-embed-body', strings.loading);
    parent.replaceChildren(title, body);
    if (app === null) return;
    if (depth > MAX_EMBED_DEPTH) {
      body.textContent = strings.embedTooDeep;
      return;
    }
    const excerpt = await app.content.excerpt(this.#link, signal).catch(() => null);
    if (signal.aborted) return;
    if (excerpt === null) {
      body.replaceChildren(element('span', 'nv-missing', strings.notFound));
      return;
    }
    title.textContent = this.#link.anchor === null ? excerpt.title : `${excerpt.title} › ${this.#link.anchor}`;
    body.replaceChildren();
    const drawn = view.state.facet(drawNote)?.(body, excerpt.text, app, depth);
    if (drawn !== undefined) signal.addEventListener('abort', () => drawn[Symbol.dispose](), { once: true });
  }
}

function nameOf({ target, anchor }: LinkTarget): string {
  return [target, anchor].filter((part) => part !== null && part !== '').join(' › ');
}
