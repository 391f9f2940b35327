import type { EditorView } from '@codemirror/view';
import { services } from '../core/services.ts';
import { BlockWidget, element } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** A `query` or `base` block, shown as tables of the matching notes. Note texts are inserted as text, never as HTML. */
export class QueryWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-query nv-table';
  readonly #kind: 'query' | 'base';
  readonly #source: string;

  constructor(kind: 'query' | 'base', source: string) {
    super();
    this.key = `${kind} ${source}`;
    this.#kind = kind;
    this.#source = source;
  }

  protected async fill(parent: HTMLElement, view: EditorView): Promise<void> {
    const strings = stringsOf(view);
    const content = view.state.facet(services)?.content;
    try {
      const [{ partsOf }, found] = await Promise.all([
        import('./query-parts.ts'),
        content?.queryTables?.(this.#kind, this.#source),
      ]);
      if (found === undefined) throw new Error();
      const { tables, unread } = found;
      parent.replaceChildren(...tables.flatMap((table) => partsOf(table, view)));
      if (unread.length === 0) return;
      const note = element('p', 'nv-query-note', `${strings.queryUnread} `);
      for (const part of unread) note.append(element('code', '', part), ' ');
      parent.append(note);
    } catch (error) {
      const reason = error instanceof Error && error.name.startsWith('YAML') ? error.message : content?.reasonOf(error);
      parent.replaceChildren(
        element('p', 'nv-query-note', `${strings.queryFailed} ${reason ?? ''}`),
        element('pre', '', this.#source),
      );
    }
  }
}
