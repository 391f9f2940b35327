import type { EditorView } from '@codemirror/view';
import { BlockWidget } from '../preview/widget-base.ts';

/** A diagram, rendered by Mermaid in a frame without our origin, because its text may try to run scripts. */
export class MermaidWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-mermaid';

  /** @param key the source of the diagram. */
  constructor(key: string) {
    super();
    this.key = key;
  }

  protected async fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    const { drawDiagram } = await import('./diagram.ts');
    if (!signal.aborted) await drawDiagram(parent, view, this.key, signal);
  }
}
