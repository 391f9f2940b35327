import type { EditorView } from '@codemirror/view';
import { readImage } from '@notevault/note-html/links/embed-spec.ts';
import { BlockWidget } from '../preview/widget-base.ts';
import { inlineEmbed } from './inline-embed.ts';

/** A block of HTML, without all that could run, load or look like the app. */
export class HtmlWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-html-block';

  /** @param key the source. */
  constructor(key: string) {
    super();
    this.key = key;
  }

  protected async fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    const { cleanHtml } = await import('./html-cleaner.ts');
    if (signal.aborted) return;
    parent.dir = 'auto';
    const clean = cleanHtml(this.key);
    for (const image of clean.querySelectorAll('img')) {
      const spec = readImage(image.dataset.src ?? '', image);
      image.replaceWith(inlineEmbed(spec, view, signal) ?? image.alt);
    }
    parent.append(clean);
  }

  /** A press moves the cursor to the source, unless it is on something that answers itself. */
  override ignoreEvent({ target }: Event): boolean {
    return target instanceof Element && target.closest('a, summary') !== null;
  }
}
