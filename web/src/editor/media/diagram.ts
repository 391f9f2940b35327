import type { EditorView } from '@codemirror/view';
import { onTheme, readTokens } from '../../platform/theme-colors.ts';
import { services } from '../core/services.ts';
import { element } from '../preview/widget-base.ts';
import { sandboxedFrame } from './frame.ts';
import { stringsOf } from './inline-widgets.ts';

/** Renders a diagram into an element, in the theme's colours. In a file of its own, loaded with the first diagram. */
export function drawDiagram(parent: HTMLElement, view: EditorView, source: string, signal: AbortSignal): Promise<void> {
  const strings = stringsOf(view);
  const frames = view.state.facet(services)?.framesUrl ?? '/frames/';
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    const request = () => ({ source, colors: readTokens(view.dom, TOKENS) });
    const frame = sandboxedFrame(
      `${frames}mermaid.html`,
      strings.diagram,
      request,
      (report) => {
        if (report.type === 'ready') return;
        if (report.type === 'failed') parent.replaceChildren(failure(strings.diagramFailed, report.message, source));
        resolve();
      },
      signal,
    );
    parent.replaceChildren(frame);
    const stop = onTheme(() => frame.contentWindow?.postMessage(request(), '*'));
    signal.addEventListener('abort', stop, { once: true });
  });
}

const TOKENS = {
  page: '--page',
  panel: '--panel',
  sunken: '--sunken',
  hairline: '--hairline',
  line: '--line',
  text: '--text',
  muted: '--muted',
  border: '--border',
  accent: '--accent',
  soft: '--accent-soft',
  edge: '--underline',
  warn: '--warn-soft',
  danger: '--danger',
  dangerSoft: '--danger-soft',
} as const;

/** The colours of a diagram. */
export type DiagramColors = Readonly<Record<keyof typeof TOKENS, string>>;

function failure(sentence: string, message: string, source: string): HTMLElement {
  const box = element('div', 'nv-diagram-error');
  box.append(element('p', '', sentence));
  if (message !== '') box.append(element('pre', '', message));
  box.append(element('pre', 'nv-diagram-source', source));
  return box;
}
