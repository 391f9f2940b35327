import { element } from '../preview/widget-base.ts';

/** Report of a sandboxed frame: its size once it has rendered, or that rendering failed. */
export type FrameReport =
  | { readonly type: 'ready' }
  | { readonly type: 'drawn'; readonly width: number; readonly height: number }
  | { readonly type: 'failed'; readonly message: string };

const TALLEST = 20_000;

/**
 * Creates a frame without our origin, whose scripts cannot read this page, its storage or its cookies. The frame sends
 * `ready`, receives the result of `request`, and answers with its size or a failure, as it does to each further
 * request.
 *
 * @param signal removes the listener when it aborts.
 */
export function sandboxedFrame(
  url: string,
  title: string,
  request: () => unknown,
  onReport: (report: FrameReport) => void,
  signal: AbortSignal,
): HTMLIFrameElement {
  const frame = element('iframe', 'nv-frame');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.title = title;
  window.addEventListener(
    'message',
    (event) => {
      // The origin of a sandboxed frame is opaque; the window it comes from is what identifies it.
      if (event.source !== frame.contentWindow || event.source === null) return;
      const report = readReport(event.data);
      if (report === null) return;
      if (report.type === 'ready') frame.contentWindow?.postMessage(request(), '*');
      else if (report.type === 'drawn') frame.style.height = `${Math.min(TALLEST, Math.ceil(report.height))}px`;
      onReport(report);
    },
    { signal },
  );
  frame.src = url;
  return frame;
}

/** Parses a message from a frame, which is untrusted; null if it is no report. */
export function readReport(data: unknown): FrameReport | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, width, height, message } = data as Readonly<Record<string, unknown>>;
  if (type === 'ready') return { type };
  if (type === 'failed') return { type, message: typeof message === 'string' ? message.slice(0, 500) : '' };
  if (type !== 'drawn' || !isSize(width) || !isSize(height)) return null;
  return { type, width, height };
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
