import type { EditorView } from '@codemirror/view';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { stringsOf } from '../media/inline-widgets.ts';
import { BlockWidget, button, element } from '../preview/widget-base.ts';
import type { YamlEdit } from './edits.ts';
import type { PropertiesPanel } from './panel.ts';

/**
 * Loads the panel with its YAML library separately, so that the first text does not wait for it. It is loaded with the
 * editor, not on demand: a panel that appeared after the text would move the text.
 */
const panelModule = import('./panel.ts');

/** The frontmatter as a panel. It stores no values: every edit changes the text. */
export class PropertiesWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-properties';
  readonly #source: string;
  readonly #isReadOnly: boolean;

  /** @param source the frontmatter with its fences. */
  constructor(source: string, isReadOnly: boolean) {
    super();
    this.key = `${isReadOnly}\n${source}`;
    this.#source = source;
    this.#isReadOnly = isReadOnly;
  }

  protected async fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    const { PropertiesPanel: Panel } = await panelModule;
    if (!signal.aborted) panels.set(parent, this.#panel(Panel, parent, view));
  }

  /** Keeps the element, and with it the focus, when the text changed. */
  override updateDOM(parent: HTMLElement, view: EditorView): boolean {
    const panel = panels.get(parent);
    const yaml = this.#yaml;
    if (panel === undefined || yaml === null || this.#isReadOnly !== panel.isReadOnly) return false;
    void view;
    return panel.draw(yaml);
  }

  get #yaml(): string | null {
    const fence = findFrontmatter(this.#source);
    return fence.kind === 'closed' ? this.#source.slice(fence.yamlStart, fence.yamlEnd) : null;
  }

  #panel(Panel: typeof PropertiesPanel, parent: HTMLElement, view: EditorView): PropertiesPanel | undefined {
    const strings = stringsOf(view);
    const editAsText = () => {
      view.dispatch({ selection: { anchor: Math.min(4, view.state.doc.length) }, scrollIntoView: true });
      view.focus();
    };
    const panel = new Panel(parent, strings, this.#isReadOnly, {
      change: (edit) => change(view, edit),
      editAsText,
    });
    const yaml = this.#yaml;
    if (yaml !== null && panel.draw(yaml)) return panel;
    parent.replaceChildren(
      element('p', 'nv-properties-unreadable', strings.propertiesUnreadable),
      button('nv-properties-text', strings.editAsText, editAsText),
    );
    return undefined;
  }
}

const panels = new WeakMap<HTMLElement, PropertiesPanel | undefined>();

/** Applies an edit to the YAML of the current document. */
function change(view: EditorView, edit: (yaml: string) => YamlEdit | null): boolean {
  if (view.state.readOnly) return false;
  const text = view.state.doc.sliceString(0, 80_000);
  const fence = findFrontmatter(text);
  if (fence.kind !== 'closed') return false;
  const made = edit(text.slice(fence.yamlStart, fence.yamlEnd));
  if (made === null) return false;
  const { from, to, insert } = made;
  view.dispatch({
    changes: { from: fence.yamlStart + from, to: fence.yamlStart + to, insert },
    userEvent: 'input.properties',
  });
  return true;
}
