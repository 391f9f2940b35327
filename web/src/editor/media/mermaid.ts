import { EditorView } from '@codemirror/view';
import { services } from '../core/services.ts';
import { BlockWidget, element } from '../preview/widget-base.ts';
import { sandboxedFrame } from './frame.ts';
import { stringsOf } from './inline-widgets.ts';

/** A diagram, drawn by mermaid in a frame without our origin: its text may try to run scripts. */
export class MermaidWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-mermaid';

  /** @param key the source of the diagram. */
  constructor(key: string) {
    super();
    this.key = key;
  }

  protected fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    const strings = stringsOf(view);
    const frames = view.state.facet(services)?.framesUrl ?? '/frames/';
    const isDark = view.state.facet(EditorView.darkTheme);
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      const request = { type: 'diagram', source: this.key, theme: isDark ? 'dark' : 'neutral' };
      const frame = sandboxedFrame(
        `${frames}mermaid.html`,
        strings.diagram,
        request,
        (report) => {
          if (report.type === 'ready') return;
          if (report.type === 'failed')
            parent.replaceChildren(failure(strings.diagramFailed, report.message, this.key));
          resolve();
        },
        signal,
      );
      parent.replaceChildren(frame);
    });
  }
}

function failure(sentence: string, message: string, source: string): HTMLElement {
  const box = element('div', 'nv-diagram-error');
  box.append(element('p', '', sentence));
  if (message !== '') box.append(element('pre', '', message));
  box.append(element('pre', 'nv-diagram-source', source));
  return box;
}
