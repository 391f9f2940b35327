import type { EditorView } from '@codemirror/view';
import { BlockWidget } from '../preview/widget-base.ts';
import { readImage } from './embed-spec.ts';
import { HTML_TAGS } from './html-tags.ts';
import { inlineEmbed } from './inline-embed.ts';

/** Longer ones stay text. */
const MOST = 20_000;
const TAG = /<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/gi;
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img']);

/** The policy of the page reports handlers as soon as they are parsed. */
const HANDLER = /[\s/"']on[a-z]+\s*=/i;

/** Whether a block of HTML has only tags that are shown, each with its end. Whatever else there is stays text. */
export function isShownHtml(source: string): boolean {
  if (source.length > MOST || HANDLER.test(source)) return false;
  const open: string[] = [];
  const rest = source.replace(TAG, (_, slash: string, written: string) => {
    const name = written.toLowerCase();
    if (!HTML_TAGS.includes(name)) return '<';
    if (VOID.has(name)) return '';
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return '<';
    return '';
  });
  return open.length === 0 && !rest.includes('<');
}

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
