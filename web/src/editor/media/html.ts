import type { EditorView } from '@codemirror/view';
import { readImage } from '@notevault/note-html/links/embed-spec.ts';
import { BlockWidget } from '../preview/widget-base.ts';
import { inlineEmbed } from './inline-embed.ts';

/** A block of HTML, without anything that could run, load or imitate the app. */
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

  /** Lets a press move the cursor to the source, unless it is on an interactive element. */
  override ignoreEvent({ target }: Event): boolean {
    return target instanceof Element && target.closest('a, summary') !== null;
  }
}
